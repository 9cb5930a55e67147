/** The grammar of a JSON number, one character at a time. */

export type NumberPart = "minus" | "zero" | "whole" | "point" | "fraction" | "e" | "sign" | "exponent";

/** The part that the character begins or continues; undefined when it cannot continue a number. */
export function numberPartAfter(part: NumberPart | undefined, char: string): NumberPart | undefined {
	const digit = char >= "0" && char <= "9";
	switch (part) {
		case undefined:
			return char === "-" ? "minus" : leadingDigit(char, digit);
		case "minus":
			return leadingDigit(char, digit);
		case "zero":
			return afterWhole(char);
		case "whole":
			return digit ? "whole" : afterWhole(char);
		case "point":
			return digit ? "fraction" : undefined;
		case "fraction":
			return digit ? "fraction" : exponentMark(char);
		case "e":
			return digit ? "exponent" : char === "+" || char === "-" ? "sign" : undefined;
		case "sign":
		case "exponent":
			return digit ? "exponent" : undefined;
	}
}

/** True if the text up to and including this part is a complete number. */
export function isWholeNumber(part: NumberPart | undefined): boolean {
	return part === "zero" || part === "whole" || part === "fraction" || part === "exponent";
}

function leadingDigit(char: string, digit: boolean): NumberPart | undefined {
	if (!digit) return undefined;
	return char === "0" ? "zero" : "whole";
}

function afterWhole(char: string): NumberPart | undefined {
	return char === "." ? "point" : exponentMark(char);
}

function exponentMark(char: string): NumberPart | undefined {
	return char === "e" || char === "E" ? "e" : undefined;
}
