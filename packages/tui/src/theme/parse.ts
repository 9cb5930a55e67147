/**
 * Parses a theme file in pi's format, extended by its appearance (dark or light). Reports everything that is wrong
 * with it.
 */
import { isColorValue, mixed, rgbOf, type ColorValue } from "./color.ts";
import type { ThemeFacts } from "./theme.ts";
import { mixedBackgrounds, tokens, type ThemeToken } from "./tokens.ts";

export type ParsedTheme = { ok: true; theme: ThemeFacts } | { ok: false; problems: string[] };

export function parseTheme(value: unknown, sourcePath?: string): ParsedTheme {
	if (!isRecord(value)) return { ok: false, problems: ["A theme must be an object with name and colors."] };
	const problems: string[] = [];
	const vars = isRecord(value.vars) ? value.vars : {};
	const values = isRecord(value.colors) ? value.colors : {};
	if (typeof value.name !== "string" || value.name.trim() === "") problems.push("name is missing.");
	const colors = new Map<ThemeToken, ColorValue>();
	for (const token of tokens) {
		const color = resolve(values[token], vars) ?? mixedColor(token, values, vars);
		if (color === undefined) problems.push(`colors.${token}: ${wrong(values[token])}`);
		else colors.set(token, color);
	}
	if (problems.length > 0) return { ok: false, problems };
	const all = Object.fromEntries(colors) as Record<ThemeToken, ColorValue>;
	const { name, appearance, pair } = value;
	return {
		ok: true,
		theme: {
			name: String(name),
			appearance: appearance === "light" || appearance === "dark" ? appearance : guessed(all),
			colors: all,
			...(typeof pair === "string" ? { pair } : {}),
			...(sourcePath === undefined ? {} : { sourcePath }),
		},
	};
}

/** A variable may refer to another one; a cycle has no value. */
function resolve(value: unknown, vars: Record<string, unknown>): ColorValue | undefined {
	const seen = new Set<unknown>();
	let at = value;
	while (!isColorValue(at)) {
		if (typeof at !== "string" || seen.has(at) || !Object.hasOwn(vars, at)) return undefined;
		seen.add(at);
		at = vars[at];
	}
	return at;
}

/** Undefined for a color that a theme must name, and for one that it names wrongly. */
function mixedColor(
	token: ThemeToken,
	values: Record<string, unknown>,
	vars: Record<string, unknown>,
): ColorValue | undefined {
	const mix = mixedBackgrounds[token];
	if (mix === undefined || values[token] !== undefined) return undefined;
	const [first, second] = [resolve(values[mix[0]], vars), resolve(values[mix[1]], vars)];
	return first === undefined || second === undefined ? undefined : mixed(first, second, mix[2]);
}

function wrong(value: unknown): string {
	if (value === undefined) return "it is missing.";
	return `${JSON.stringify(value)} is not "#rrggbb", a number from 0 to 255, "" or the name of a variable.`;
}

/** A theme of pi does not state its appearance: with a light background of messages, it is a light theme. */
function guessed(colors: Readonly<Record<ThemeToken, ColorValue>>): ThemeFacts["appearance"] {
	const [red, green, blue] = rgbOf(colors.userMessageBg) ?? [0, 0, 0];
	return red + green + blue > 3 * 128 ? "light" : "dark";
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
