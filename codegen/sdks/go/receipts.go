package sluice

// Receipts that are verified without the gateway. This file is handwritten: no generator knows the signature or the tariff.

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// OrderReceipt is the signed receipt of a done order. Its claims are those that were signed.
type OrderReceipt struct {
	ReceiptClaims
	// JWS is the receipt with its signature; save it together with the keys.
	JWS       string
	Keys      SigningKeys
	header    struct{ Alg, Typ, Kid string }
	signature []byte
}

// Receipt gets the receipt, and the keys that verify it. An order that is not done is a ConflictError, order_not_settled.
func (h *OrderHandle) Receipt(ctx context.Context) (*OrderReceipt, error) {
	signed, err := done(h.client.API.OrdersAPI.GetOrderReceipt(ctx, h.ID).Execute())
	if err != nil {
		return nil, err
	}
	keys, err := done(h.client.API.SystemAPI.GetSigningKeys(ctx).Execute())
	if err != nil {
		return nil, err
	}
	return NewOrderReceipt(signed.Jws, *keys)
}

// NewOrderReceipt reads a receipt that was saved. A text that is none is a ReceiptError.
func NewOrderReceipt(jws string, keys SigningKeys) (*OrderReceipt, error) {
	receipt := &OrderReceipt{JWS: jws, Keys: keys}
	parts := strings.Split(jws, ".")
	if len(parts) != 3 {
		return nil, wrongReceipt(errors.New("the receipt is not a JWS of three parts"))
	}
	header, headerErr := base64.RawURLEncoding.DecodeString(parts[0])
	claims, claimsErr := base64.RawURLEncoding.DecodeString(parts[1])
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	receipt.signature = signature
	err = errors.Join(err, headerErr, claimsErr, json.Unmarshal(header, &receipt.header))
	return receipt, wrongReceipt(errors.Join(err, json.Unmarshal(claims, &receipt.ReceiptClaims)))
}

// Charge is what the order cost.
func (r *OrderReceipt) Charge() Money { return MoneyOfNano(r.ChargedNanoUsd) }

// Verify checks the signature, and the charge by tariff, level and tokens. It needs no network. Errors are a ReceiptError.
func (r *OrderReceipt) Verify() (err error) {
	defer func() { err = wrongReceipt(err) }()
	if err := r.verifySignature(); err != nil {
		return err
	}
	due, err := r.due()
	if err != nil {
		return err
	}
	stated := big.NewInt(r.ChargedNanoUsd)
	if stated.Add(stated, big.NewInt(r.WrittenOffNanoUsd)); stated.Cmp(due) != 0 {
		return fmt.Errorf("the receipt charges %s nano-dollars, and its tokens cost %s", stated, due)
	}
	return nil
}

func (r *OrderReceipt) verifySignature() error {
	if r.header.Alg != "EdDSA" || r.header.Typ != "sluice-receipt+jws" {
		return errors.New("the JWS is not a signed receipt")
	}
	if r.Iss != r.Keys.Issuer {
		return fmt.Errorf("the receipt is of %s, and the keys are of %s", r.Iss, r.Keys.Issuer)
	}
	signed := []byte(r.JWS[:strings.LastIndex(r.JWS, ".")])
	for _, key := range r.Keys.Keys {
		public, err := base64.RawURLEncoding.DecodeString(key.X)
		isRight := key.Kid == r.header.Kid && err == nil && len(public) == ed25519.PublicKeySize
		if isRight && ed25519.Verify(public, signed, r.signature) {
			return nil
		}
	}
	return errors.New("no published key made the signature of the receipt")
}

// What the tokens cost in nano-dollars, rounded once, half to even.
func (r *OrderReceipt) due() (*big.Int, error) {
	kind, weights, _ := strings.Cut(r.Tariff, ":")
	var parts [3]int64
	_, err := fmt.Sscanf(weights, "%d:%d:%d", &parts[0], &parts[1], &parts[2])
	if err != nil || kind != "fixed" && kind != "market" {
		return nil, fmt.Errorf("the tariff is %q", r.Tariff)
	}
	tokens := [3]int64{r.CachedTokens, r.PromptTokens - r.CachedTokens, r.OutputTokens}
	cost, mix := new(big.Int), new(big.Int)
	for index, share := range [3]int64{90, 10, 2} {
		part := big.NewInt(parts[index])
		cost.Add(cost, new(big.Int).Mul(part, big.NewInt(tokens[index])))
		mix.Add(mix, new(big.Int).Mul(part, big.NewInt(share)))
	}
	below := big.NewInt(1_000_000)
	if kind == "market" {
		cost.Mul(cost, big.NewInt(r.LevelNanoUsd)).Mul(cost, big.NewInt(100))
		below.Mul(below, mix)
	}
	if below.Sign() == 0 {
		return new(big.Int), nil
	}
	due, rest := new(big.Int).QuoRem(cost, below, new(big.Int))
	half := rest.Lsh(rest, 1).Cmp(below)
	if half > 0 || half == 0 && due.Bit(0) == 1 {
		due.Add(due, big.NewInt(1))
	}
	return due, nil
}
