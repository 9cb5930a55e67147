/** The profile for macOS names what is writable, protected and hidden, in an order in which the last rule decides. */
import { expect, test } from "bun:test";

import type { SandboxProfile } from "./profile.ts";
import { seatbeltProfile } from "./seatbelt.ts";

const profile: SandboxProfile = {
	cwd: "/Users/me/project",
	home: "/Users/me",
	writable: ["/Users/me/project", '/Users/me/odd "name\\'],
	readOnly: ["/Users/me/project/.git/hooks"],
	hidden: ["/Users/me/.ssh"],
	links: [],
	unwanted: [],
	emptied: [],
	network: "off",
	unixSockets: false,
};

test("everything is denied that no rule allows, and there is no network", () => {
	const lines = seatbeltProfile(profile, "/private/tmp/x").split("\n");
	expect(lines.slice(0, 2)).toEqual(["(version 1)", "(deny default)"]);
	expect(lines).toContain("(deny network*)");
	expect(lines.join("\n")).not.toContain("(allow network");
	expect(seatbeltProfile({ ...profile, network: "open" }, "/x")).toContain("(allow network*)");
});

test("what is protected comes after what is writable, and what is hidden comes last", () => {
	const text = seatbeltProfile(profile, "/private/tmp/x");
	const at = (part: string): number => text.indexOf(part);
	expect(at('(subpath "/private/tmp/x")')).toBeGreaterThan(at("(allow file-read*)"));
	expect(at("(deny file-write*")).toBeGreaterThan(at('(subpath "/Users/me/project")'));
	expect(at('(subpath "/Users/me/project/.git/hooks")')).toBeGreaterThan(at("(deny file-write*"));
	expect(text.lastIndexOf('(subpath "/Users/me/.ssh")')).toBeGreaterThan(at("(deny file-read* file-write*"));
});

test("names with quotes and backslashes stay one text, and parentheses are balanced", () => {
	const text = seatbeltProfile(profile, "/private/tmp/x");
	expect(text).toContain(String.raw`(subpath "/Users/me/odd \"name\\")`);
	const code = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, "");
	expect(code.split("(").length).toBe(code.split(")").length);
});
