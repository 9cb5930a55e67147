/** Lays a ground behind a row without holes where the row ends a colour of its own. */
import type { Paint } from "./text.ts";

const style = /\x1b\[([0-9;:]*)m/g;
/** Stands for the row while it is found out how a ground begins. */
const standIn = "\0";

export function onGround(row: string, ground: Paint): string {
	if (!row.includes("\x1b[")) return ground(row);
	const [open = ""] = ground(standIn).split(standIn, 1);
	return ground(row.replaceAll(style, (sgr, body: string) => (endsGround(body) ? sgr + open : sgr)));
}

/** Whether no ground is left after these parameters: the last word on it is a reset or the terminal's own. */
function endsGround(body: string): boolean {
	const parameters = body.split(";");
	let ends = false;
	for (let at = 0; at < parameters.length; at++) {
		const parameter = parameters[at] ?? "";
		const code = Number.parseInt(parameter === "" ? "0" : parameter, 10);
		if (code === 0 || code === 49) ends = true;
		else if ((code >= 40 && code <= 48) || (code >= 100 && code <= 107)) ends = false;
		// The numbers of a colour are no codes of their own.
		const isColor = code === 38 || code === 48 || code === 58;
		if (isColor && !parameter.includes(":")) at += parameters[at + 1] === "2" ? 4 : 2;
	}
	return ends;
}
