/** Titles, links, notifications and the clipboard accept untrusted text. */
import { expect, test } from "bun:test";

import { Modes } from "./modes.ts";
import { clipboardSequence, hyperlink, noticeSequence, titleSequence } from "./osc.ts";

const evil = "title\x07\x1b]52;c;ZXZpbA==\x07\x1b[2J\nmore";

test("a title cannot end its sequence and start another", () => {
	expect(titleSequence(evil)).toBe("\x1b]0;title more\x07");
});

test("a notification is text, in both protocols", () => {
	expect(noticeSequence("Tau", evil, false)).toBe("\x1b]9;Tau: title more\x07");
	const rich = noticeSequence("Tau", evil, true);
	expect(rich).not.toContain("\x07");
	expect(rich.replace(/\x1b\]99;[\w=:,]*;[\w+/=]*\x1b\\/g, "")).toBe("");
});

test("a link cannot leave its sequence", () => {
	const link = hyperlink("text", "https://a.b/\x1b\\\x1b[2J c\u202e\ud800");
	expect(link.match(/\x1b/g)).toHaveLength(4);
	expect(link).toStartWith("\x1b]8;;https://a.b/");
});

test("text that is too long for the clipboard of terminals is not sent in part", () => {
	expect(clipboardSequence("käse")).toBe("\x1b]52;c;a8Okc2U=\x07");
	expect(clipboardSequence("x".repeat(80_000))).toBeUndefined();
});

test("every mode that was switched on is switched off, the last first, and on again after a stop", () => {
	const modes = new Modes();
	modes.set("bracketedPaste", true);
	modes.set("kittyKeyboard", true);
	expect(modes.set("kittyKeyboard", true)).toBe("");
	modes.set("alternateScreen", true);
	const restored = modes.restoreSequence();
	expect(restored).toStartWith("\x1b[<u\x1b[?1049l\x1b[<u\x1b[?2004l");
	expect(restored).toContain("\x1b[?25h");
	expect(modes.resumeSequence()).toBe("\x1b[?2004h\x1b[>7u\x1b[?1049h\x1b[?1007h\x1b[>7u");
	expect(modes.set("alternateScreen", false)).toBe("\x1b[<u\x1b[?1049l");
});
