/** The color of a line that pulses: between dim and bright, in a sine. */
import type { Theme } from "@tau/tui";

import { limits } from "./limits.ts";

type Rgb = readonly [red: number, green: number, blue: number];

/** Only where every shade can be shown. */
export function canPulse(theme: Theme): boolean {
	return theme.getColorMode() === "truecolor" && endsOf(theme) !== undefined;
}

/** Paints in the color of this moment; unchanged if nothing can pulse. */
export function pulsing(theme: Theme, elapsedMs: number): ((text: string) => string) | undefined {
	const ends = theme.getColorMode() === "truecolor" ? endsOf(theme) : undefined;
	if (!ends) return undefined;
	const level = brightness(elapsedMs);
	const [red, green, blue] = mixed(ends.dim, ends.bright, level);
	return (text) => `\u001B[38;2;${red};${green};${blue}m${text}\u001B[39m`;
}

/** From 0 to 1 and back; it starts dim. */
function brightness(elapsedMs: number): number {
	return (1 - Math.cos((2 * Math.PI * elapsedMs) / limits.pulseMs)) / 2;
}

/** Undefined if a theme leaves one of them to the terminal, because its value is unknown. */
function endsOf(theme: Theme): { dim: Rgb; bright: Rgb } | undefined {
	const dim = rgbOf(theme.getFgAnsi("dim"));
	const bright = rgbOf(theme.getFgAnsi("accent"));
	return dim && bright && { dim, bright };
}

function rgbOf(sgr: string): Rgb | undefined {
	const [, red, green, blue] = /38;2;(\d+);(\d+);(\d+)m/.exec(sgr) ?? [];
	return red === undefined ? undefined : [Number(red), Number(green), Number(blue)];
}

function mixed(from: Rgb, to: Rgb, level: number): Rgb {
	const at = (index: 0 | 1 | 2): number => Math.round(from[index] + (to[index] - from[index]) * level);
	return [at(0), at(1), at(2)];
}
