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
	"strconv"
	"strings"
)

// OrderReceipt is the signed receipt of a done order. Its claims are those that were signed.
type OrderReceipt struct {
	ReceiptClaims
	// JWS is the receipt with its signature; save it together with the keys.
	JWS  string
	Keys SigningKeys
}

// Receipt gets the receipt, and once the keys. An order that is not done is a ConflictError, order_not_settled.
func (h *OrderHandle) Receipt(ctx context.Context, options ...CallOption) (*OrderReceipt, error) {
	ctx = With(ctx, options...)
	signed, err := done(h.client.API.OrdersAPI.GetOrderReceipt(ctx, h.ID).Execute())
	if err != nil {
		return nil, err
	}
	keys, err := h.client.signingKeys(ctx)
	if err != nil {
		return nil, err
	}
	return NewOrderReceipt(signed.Jws, *keys)
}

// NewOrderReceipt reads a receipt that was saved.
func NewOrderReceipt(jws string, keys SigningKeys) (*OrderReceipt, error) {
	receipt := &OrderReceipt{JWS: jws, Keys: keys}
	err := decodePart(jws, 1, &receipt.ReceiptClaims)
	return receipt, err
}

// Reads the JSON of a part of a JWS.
func decodePart(jws string, index int, into any) error {
	parts := strings.Split(jws, ".")
	if len(parts) != 3 {
		return errors.New("the receipt is not a JWS of three parts")
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[index])
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// Charge is what the order cost.
func (r *OrderReceipt) Charge() Money { return MoneyOfNano(r.ChargedNanoUsd) }

// Verify checks the signature and computes the charge from tariff, level and tokens. It needs no network.
func (r *OrderReceipt) Verify() error {
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
	var header struct{ Alg, Typ, Kid string }
	err := decodePart(r.JWS, 0, &header)
	if err != nil || header.Alg != "EdDSA" || header.Typ != "sluice-receipt+jws" {
		return errors.New("the JWS is not a signed receipt")
	}
	end := strings.LastIndex(r.JWS, ".")
	signature, err := base64.RawURLEncoding.DecodeString(r.JWS[end+1:])
	if err != nil {
		return err
	}
	if r.Iss != r.Keys.Issuer {
		return fmt.Errorf("the receipt is of %s, and the keys are of %s", r.Iss, r.Keys.Issuer)
	}
	for _, key := range r.Keys.Keys {
		public, err := base64.RawURLEncoding.DecodeString(key.X)
		if key.Kid != header.Kid || err != nil || len(public) != ed25519.PublicKeySize {
			continue
		}
		if ed25519.Verify(public, []byte(r.JWS[:end]), signature) {
			return nil
		}
	}
	return errors.New("no published key made the signature of the receipt")
}

// What the tokens cost in nano-dollars, rounded once, half to even.
func (r *OrderReceipt) due() (*big.Int, error) {
	kind, weights, _ := strings.Cut(r.Tariff, ":")
	var parts [3]*big.Int
	for index, text := range strings.SplitN(weights, ":", 3) {
		number, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("the tariff is %q", r.Tariff)
		}
		parts[index] = big.NewInt(number)
	}
	if parts[2] == nil || kind != "fixed" && kind != "market" {
		return nil, fmt.Errorf("the tariff is %q", r.Tariff)
	}
	cost := new(big.Int)
	tokens := [3]int64{r.CachedTokens, r.PromptTokens - r.CachedTokens, r.OutputTokens}
	mix := new(big.Int)
	for index, share := range [3]int64{90, 10, 2} {
		cost.Add(cost, new(big.Int).Mul(parts[index], big.NewInt(tokens[index])))
		mix.Add(mix, new(big.Int).Mul(parts[index], big.NewInt(share)))
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
