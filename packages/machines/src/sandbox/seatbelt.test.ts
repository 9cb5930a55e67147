/** The profile for macOS names what is writable, protected and hidden, in an order in which the last rule decides. */
import { expect, test } from "bun:test";

import type { SandboxProfile } from "./profile.ts";
import { seatbeltProfile } from "./seatbelt.ts";

const profile: SandboxProfile = {
	cwd: "/Users/me/project",
	home: "/Users/me",
	gitUser: { home: "", files: [], settings: [], searchPath: [] },
	shown: [],
	writable: ["/Users/me/project", '/Users/me/odd "name\\'],
	readOnly: ["/Users/me/project/.git/hooks"],
	hidden: ["/Users/me/.ssh"],
	links: [],
	unwanted: [],
	unwantedHooks: [],
	direnvScripts: [],
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

type Node = string | readonly Node[];

/** The profile as a list of rules: texts keep their quotes. */
function parsed(text: string): Node[] {
	const tokens = text.match(/#?"(?:[^"\\]|\\.)*"|[()]|[^\s()"]+/g) ?? [];
	const read = (): Node[] => {
		const nodes: Node[] = [];
		for (let token = tokens.shift(); token !== undefined && token !== ")"; token = tokens.shift())
			nodes.push(token === "(" ? read() : token);
		return nodes;
	};
	return read();
}

/** Whether Seatbelt would allow it: the last rule that matches decides. */
function allows(text: string, operation: string, path: string): boolean {
	let verdict = false;
	for (const rule of parsed(text)) {
		if (typeof rule === "string" || (rule[0] !== "allow" && rule[0] !== "deny")) continue;
		const names = rule.slice(1).filter((node) => typeof node === "string");
		const filters = rule.slice(1).filter((node) => typeof node !== "string");
		const isMeant = names.some(
			(name) =>
				name === "default" ||
				name === operation ||
				(name.endsWith("*") && operation.startsWith(name.slice(0, -1))),
		);
		const matches = filters.length === 0 || filters.some((filter) => matchesPath(filter, path));
		if (isMeant && matches) verdict = rule[0] === "allow";
	}
	return verdict;
}

function matchesPath([kind, quotedPath]: readonly Node[], path: string): boolean {
	if (typeof quotedPath !== "string" || kind === "target") return false;
	if (kind === "regex") return new RegExp(quotedPath.slice(2, -1)).test(path);
	const named = JSON.parse(quotedPath) as string;
	return path === named || (kind === "subpath" && path.startsWith(`${named}/`));
}

test("commands write the project and not what is protected in it, and read no secrets", () => {
	const text = seatbeltProfile(
		{
			...profile,
			links: ["/Users/me/project/.tau"],
			unwanted: ["/Users/me/project/.zshrc"],
			unwantedHooks: [],
			cacheDir: "/Users/me/Library/Caches/tau/sandbox",
		},
		"/private/var/folders/x",
	);
	const writes = (path: string): boolean => allows(text, "file-write-create", path);
	for (const path of [
		"/Users/me/project/a",
		"/private/var/folders/x/b",
		"/Users/me/Library/Caches/tau/sandbox/c",
		"/dev/null",
	])
		expect([path, writes(path)]).toEqual([path, true]);
	for (const path of [
		"/Users/me/a",
		"/etc/hosts",
		"/Users/me/projects/a",
		"/Users/me/project/.git/hooks/pre-commit",
		"/Users/me/project/.tau",
		"/Users/me/project/.zshrc",
		"/Users/me/.ssh/id",
		"/private/tmp/x",
	])
		expect([path, writes(path)]).toEqual([path, false]);
	expect(allows(text, "file-read-data", "/Users/me/.ssh/id")).toBe(false);
	expect(allows(text, "file-read-data", "/Users/me/other")).toBe(true);
	// Neither what is protected nor a directory above it can be moved away.
	for (const path of ["/Users/me/project/.git", "/Users/me/project/.git/hooks", "/Users/me/project/.tau"])
		expect([path, allows(text, "file-write-unlink", path)]).toEqual([path, false]);
	expect(allows(text, "file-write-unlink", "/Users/me/project/src")).toBe(true);
	expect(allows(text, "network-outbound", "/var/run/docker.sock")).toBe(false);
	expect(allows(text, "mach-lookup", "com.apple.securityd")).toBe(false);
});
