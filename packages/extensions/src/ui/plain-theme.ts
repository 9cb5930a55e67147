/** A theme without colors, for where there is no screen. */
import type { ThemeFace } from "./types.ts";

const asItIs = (text: string): string => text;

/** No color is drawn anywhere; what is computed with them is as black as the rest. */
const black = new Proxy({}, { get: () => "#000000" }) as ThemeFace["colors"];

export const plainTheme: ThemeFace = {
	name: "plain",
	appearance: "dark",
	pair: undefined,
	sourcePath: undefined,
	colors: black,
	palette: black,
	style: (text) => text,
	fg: (_, text) => text,
	bg: (_, text) => text,
	bold: asItIs,
	italic: asItIs,
	underline: asItIs,
	inverse: asItIs,
	highlight: (_, text) => text,
	selected: asItIs,
	hasTints: false,
	strikethrough: asItIs,
	getFgAnsi: () => "",
	getBgAnsi: () => "",
	getColorMode: () => "none",
	getThinkingBorderColor: () => asItIs,
	getBashModeBorderColor: () => asItIs,
};
