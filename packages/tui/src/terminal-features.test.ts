/** What the environment reveals about a terminal. */
import { describe, expect, test } from "bun:test";

import { detectFeatures } from "./terminal-features.ts";

describe("synchronized output", () => {
	const sync = (env: Record<string, string>) => detectFeatures(env).syncOutput;

	test("is used where it is known to work", () => {
		expect(sync({ TERM: "xterm-kitty" })).toBe(true);
		expect(sync({ TERM: "xterm-256color", TERM_PROGRAM: "iTerm.app" })).toBe(true);
		expect(sync({ TERM: "xterm-256color", WT_SESSION: "1" })).toBe(true);
		expect(sync({ TERM: "xterm-256color", TERM_FEATURES: "T3Sy" })).toBe(true);
		expect(sync({ TERM: "xterm-256color" })).toBe(false);
		expect(sync({ TERM: "tmux-256color", KITTY_WINDOW_ID: "1", TMUX: "/tmp/t" })).toBe(false);
	});

	test("can be forced on and off, under each of the three names, and off wins", () => {
		expect(sync({ TERM: "xterm-kitty", TAU_NO_SYNC_OUTPUT: "1" })).toBe(false);
		expect(sync({ TERM: "xterm-kitty", PI_TUI_SYNC_OUTPUT: "0" })).toBe(false);
		expect(sync({ TERM: "xterm", OMP_FORCE_SYNC_OUTPUT: "1" })).toBe(true);
		expect(sync({ TERM: "xterm", TAU_FORCE_SYNC_OUTPUT: "1", TAU_NO_SYNC_OUTPUT: "1" })).toBe(false);
		expect(detectFeatures({ TERM: "xterm", TAU_TUI_SYNC_OUTPUT: "1" }).syncOutputForced).toBe(true);
	});
});

test("multiplexers are recognized by any of their variables", () => {
	for (const env of [
		{ TMUX: "x" },
		{ STY: "x" },
		{ ZELLIJ: "0" },
		{ TERM: "screen-256color" },
		{ TERM: "tmux-256color" },
	]) {
		expect(detectFeatures(env).multiplexer).toBe(true);
	}
	expect(detectFeatures({ TERM: "xterm-256color" }).multiplexer).toBe(false);
});

test("images: by terminal, never by default in a multiplexer, and as the user configures", () => {
	const images = (env: Record<string, string>) => {
		const { images: protocol, placeholders } = detectFeatures(env);
		return [protocol, placeholders];
	};
	expect(images({ TERM: "xterm-kitty" })).toEqual(["kitty", true]);
	expect(images({ TERM: "xterm-ghostty" })).toEqual(["kitty", true]);
	expect(images({ TERM: "xterm-256color", TERM_PROGRAM: "WezTerm" })).toEqual(["kitty", false]);
	expect(images({ TERM: "xterm-256color", TERM_PROGRAM: "WezTerm", TAU_KITTY_PLACEHOLDERS: "1" })).toEqual([
		"kitty",
		true,
	]);
	expect(images({ TERM: "xterm-kitty", PI_NO_KITTY_PLACEHOLDERS: "1" })).toEqual(["kitty", false]);
	expect(images({ TERM: "xterm-kitty", TMUX: "x" })).toEqual([null, false]);
	expect(images({ TERM: "xterm-256color", TERM_PROGRAM: "iTerm.app" })).toEqual(["iterm2", false]);
	expect(images({ TERM: "xterm", TAU_FORCE_IMAGE_PROTOCOL: "iterm2" })).toEqual(["iterm2", false]);
	expect(images({ TERM: "xterm", TAU_FORCE_IMAGE_PROTOCOL: "iTerm" })).toEqual(["iterm2", false]);
	expect(images({ TERM: "xterm-kitty", OMP_FORCE_IMAGE_PROTOCOL: "off" })).toEqual([null, false]);
	expect(images({ TERM: "tmux-256color", PI_FORCE_IMAGE_PROTOCOL: "sixel" })).toEqual(["sixel", false]);
	// In tmux an image has to be text, and goes through to the terminal outside.
	const inTmux = { TERM: "tmux-256color", TMUX: "x", TAU_FORCE_IMAGE_PROTOCOL: "kitty" };
	expect(images(inTmux)).toEqual(["kitty", true]);
	expect(detectFeatures(inTmux).passthrough).toBe(true);
	expect(detectFeatures({ TERM: "xterm-kitty" }).passthrough).toBe(false);
	const asks = (env: Record<string, string>) => detectFeatures(env).asksForSixel;
	expect(asks({ TERM: "xterm-256color" })).toBe(true);
	for (const env of [
		{ TERM: "xterm-kitty" },
		{ TERM: "tmux-256color" },
		{ TERM: "dumb" },
		{ TERM: "xterm", TAU_FORCE_IMAGE_PROTOCOL: "none" },
	])
		expect(asks(env)).toBe(false);
});

test.each([
	["15;0", "dark"],
	["0;15", "light"],
	["0;default;7", "light"],
	["12;8", "dark"],
	["default;default", undefined],
	["0;231", undefined],
	[undefined, undefined],
] as const)("the background of COLORFGBG=%s is %s", (colors, appearance) => {
	expect(detectFeatures({ COLORFGBG: colors }).appearance).toBe(appearance);
});

test("a dumb terminal has no features", () => {
	const { dumb, syncOutput, images, hyperlinks, trueColor } = detectFeatures({
		TERM: "dumb",
		COLORTERM: "truecolor",
	});
	expect({ dumb, syncOutput, images, hyperlinks, trueColor }).toEqual({
		dumb: true,
		syncOutput: false,
		images: null,
		hyperlinks: false,
		trueColor: false,
	});
});
