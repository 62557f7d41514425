/** Amounts of one currency, as people write them: `$1,234.50`. */
export interface Money {
  /** The three letters: `AUD`. */
  readonly currency: string;
  /** To the cent. */
  readonly cents: (amount: number) => string;
  /** A rate or an exact amount, which may have more decimals than two, and has no fewer. */
  readonly exact: (amount: number | string) => string;
}

const mostDecimals = 20;

export function moneyIn(currency: string): Money {
  const style = { style: "currency", currency, minimumFractionDigits: 2 } as const;
  const cents = new Intl.NumberFormat("en-AU", { ...style, maximumFractionDigits: 2 });
  const exact = new Intl.NumberFormat("en-AU", { ...style, maximumFractionDigits: mostDecimals });
  return {
    currency,
    cents: (amount) => cents.format(amount),
    exact: (amount) => exact.format(amount as Intl.StringNumericLiteral),
  };
}
