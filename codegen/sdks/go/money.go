package sluice

// Money without rounding. This file is handwritten: the generator has no type for amounts, only float64.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// Money is an amount of USD, or a price in USD per 1M input tokens, as the decimal digits of its number: "0.000006852".
// The zero value "" is no amount; requests leave it out. Compare with [Money.Cmp]: "2" and "2.0" differ as strings.
type Money string

const nanoPerDollar = 1_000_000_000

var decimal = regexp.MustCompile(`^-?\d{1,20}(\.\d{1,30})?([eE][+-]?\d{1,2})?$`)

// ParseMoney reads a decimal number, with an exponent or without, and keeps every digit of it.
func ParseMoney(text string) (Money, error) {
	if !decimal.MatchString(text) {
		return "", fmt.Errorf("%q is not an amount of money such as 0.5", text)
	}
	amount, _ := new(big.Rat).SetString(text)
	return moneyOf(amount), nil
}

// MoneyOfNano is an amount of whole nano-dollars (10⁻⁹ USD), in which receipts count.
func MoneyOfNano(nano int64) Money { return moneyOf(big.NewRat(nano, nanoPerDollar)) }

// Of an amount with a finite number of digits.
func moneyOf(amount *big.Rat) Money {
	digits, _ := amount.FloatPrec()
	return Money(amount.FloatString(digits))
}

// Rat is the exact value; 0 for no amount and for what is not a number.
func (m Money) Rat() *big.Rat {
	amount := new(big.Rat)
	if decimal.MatchString(string(m)) {
		amount.SetString(string(m))
	}
	return amount
}

// Nano is the amount in nano-dollars; false when it is finer than that, or too large.
func (m Money) Nano() (int64, bool) {
	nano := new(big.Rat).Mul(m.Rat(), big.NewRat(nanoPerDollar, 1))
	return nano.Num().Int64(), nano.IsInt() && nano.Num().IsInt64()
}

// Add is the exact sum.
func (m Money) Add(other Money) Money { return moneyOf(new(big.Rat).Add(m.Rat(), other.Rat())) }

// Sub is the exact difference.
func (m Money) Sub(other Money) Money { return moneyOf(new(big.Rat).Sub(m.Rat(), other.Rat())) }

// Cmp is -1, 0 or 1: less than, equal to, or more than the other.
func (m Money) Cmp(other Money) int { return m.Rat().Cmp(other.Rat()) }

// Format is the amount with so many decimals, the last rounded half away from zero: for people.
func (m Money) Format(decimals int) string { return m.Rat().FloatString(decimals) }

// MarshalJSON writes a JSON number with the same digits. It fails for what is not one, so that nothing wrong is sent.
func (m Money) MarshalJSON() ([]byte, error) {
	if m == "" {
		return []byte("null"), nil
	}
	if !decimal.MatchString(string(m)) || !json.Valid([]byte(m)) {
		return nil, fmt.Errorf("%q is not an amount of money such as 0.5", string(m))
	}
	return []byte(m), nil
}

// UnmarshalJSON reads the text of a JSON number, or of a string with one; null is no amount.
func (m *Money) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*m = ""
		return nil
	}
	amount, err := ParseMoney(strings.Trim(string(text), `"`))
	*m = amount
	return err
}

// Reads JSON whose numbers are json.Number where they have no type.
func unmarshalExactly(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(into)
}
