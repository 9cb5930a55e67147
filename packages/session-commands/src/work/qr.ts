/** Draws a text as a QR code with half blocks: two modules are one character high. */
import { encode } from "uqr";

/** Dark on light, whatever the terminal's colors are: the border belongs to the code. */
export function qrRows(text: string): string[] {
	const { data } = encode(text, { ecc: "L", border: 2 });
	const rows: string[] = [];
	for (let at = 0; at < data.length; at += 2) {
		const [upper = [], lower = []] = [data[at], data[at + 1]];
		rows.push(upper.map((isDark, column) => half(isDark, lower[column] ?? false)).join(""));
	}
	return rows;
}

/** Cameras read light modules that are drawn: most terminals are dark. */
function half(isUpperDark: boolean, isLowerDark: boolean): string {
	if (isUpperDark) return isLowerDark ? " " : "▄";
	return isLowerDark ? "▀" : "█";
}
