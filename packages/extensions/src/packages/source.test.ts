/** The syntax of package sources. */
import { expect, test } from "bun:test";
import fc from "fast-check";

import { identityOf, isPinned, readSource, sourceText } from "./source.ts";
import { sourceWord } from "@tau/utils";

const base = { cwd: "/work/project", home: "/home/me" };

test.each([
	["npm:demo", "npm:demo", "npm:demo", false],
	["demo", "npm:demo", "npm:demo", false],
	["npm:@me/demo@1.2.3", "npm:@me/demo@1.2.3", "npm:@me/demo", true],
	["@me/demo@^1.2", "npm:@me/demo@^1.2", "npm:@me/demo", false],
	["npm:demo@next", "npm:demo@next", "npm:demo", false],
	["git:github.com/me/repo", "git:https://github.com/me/repo", "git:github.com/me/repo", false],
	["github:me/repo", "git:https://github.com/me/repo", "git:github.com/me/repo", false],
	["git:github.com/me/repo@v1", "git:https://github.com/me/repo@v1", "git:github.com/me/repo", true],
	["git:git@github.com:me/repo@v1", "git:git@github.com:me/repo@v1", "git:github.com/me/repo", true],
	[
		"https://github.com/me/repo.git@v1",
		"git:https://github.com/me/repo.git@v1",
		"git:github.com/me/repo",
		true,
	],
	["ssh://git@host:22/me/repo@v1.0.0", "git:ssh://git@host:22/me/repo@v1.0.0", "git:host:22/me/repo", true],
	["https://host/me/repo#main", "git:https://host/me/repo@main", "git:host/me/repo", true],
	["file:///srv/repo", "git:file:///srv/repo", "git:localhost/srv/repo", false],
	["./pkg", "/work/project/pkg", "path:/work/project/pkg", false],
	["../pkg", "/work/pkg", "path:/work/pkg", false],
	["~/pkg", "/home/me/pkg", "path:/home/me/pkg", false],
	["/abs/pkg", "/abs/pkg", "path:/abs/pkg", false],
])("%s is accepted", (text, written, identity, pinned) => {
	const read = readSource(text, base);
	if (!read.ok) throw new Error(read.reason);
	expect(sourceText(read.source)).toBe(written);
	expect(identityOf(read.source)).toBe(identity);
	expect(isPinned(read.source)).toBe(pinned);
	expect(readSource(written, base)).toEqual(read);
});

test.each([
	["demo; rm -rf /", "characters"],
	["npm:$(id)", "characters"],
	["npm:`id`", "characters"],
	["npm:demo|cat", "characters"],
	["npm:../../etc", "not a valid package name"],
	["npm:.hidden", "not a valid package name"],
	["npm:demo@../../x", "not a valid version"],
	["npm:a/b/c", "not a valid package name"],
	["git:github.com/me/../../etc", "repository"],
	["git:github.com/me/repo@--upload-pack=x", "not a branch"],
	["git:github.com/me/repo@a..b", "not a branch"],
	["git:-oProxyCommand=x/y", "repository"],
	["git:ext::sh -c x", "characters"],
	["ext::x", "not a known kind of source"],
	["https://me:secret@host/me/repo", "password"],
	["svn:host/repo", "not a known kind of source"],
	["demo[a][b]", "bracket"],
	["demo[a;b]", "not a valid feature name"],
	["", "No source given"],
	["x".repeat(5000), "5000 characters"],
])("%s is rejected with a reason", (text, reason) => {
	expect(readSource(text, base)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
});

test("the brackets after a source select features", () => {
	const featuresOf = (text: string): unknown => {
		const read = readSource(text, base);
		return read.ok ? read.features : read.reason;
	};
	expect(featuresOf("demo")).toBeUndefined();
	expect(featuresOf("demo[*]")).toBe("*");
	expect(featuresOf("demo[]")).toEqual([]);
	expect(featuresOf("@me/demo@1.2.3[a, b,a]")).toEqual(["a", "b"]);
	expect(featuresOf("git:github.com/me/repo@v1[a]")).toEqual(["a"]);
});

test("property: any input is accepted or rejected, and an accepted one survives a round trip", () => {
	fc.assert(
		fc.property(
			fc.oneof(fc.string(), fc.stringMatching(/^(?:npm:|git:|@)?[\w@/:.[\]#~^-]{0,30}$/)),
			(text) => {
				const read = readSource(text, base);
				if (!read.ok) return read.reason.length > 0;
				expect(readSource(sourceText(read.source), base)).toEqual({ ...read, features: undefined });
				return true;
			},
		),
	);
});

test("a word of a sentence is not a source", () => {
	expect(
		["npm:x", "git:h.org/a/b", "./x", "/x", "~/x", "https://h/a", "."].every((word) => sourceWord.test(word)),
	).toBe(true);
	expect(["the", "dependencies", "x:y", "@file", "a/b", ""].some((word) => sourceWord.test(word))).toBe(
		false,
	);
});
