/** Settings that a command writes are kept where git itself writes them so, and mean to git what they mean to Tau. */
import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { localRemotes, ownSettings, reducedSettings } from "./made-settings.ts";

const rules = { isWorkTree: () => true, isLocalRemote: (path: string) => !path.includes("refused") };

function reduced(text: string, own?: string, isShared = true): string {
	const bytes = Buffer.from(text, "latin1");
	const mine = own === undefined ? undefined : ownSettings(Buffer.from(own, "latin1"));
	return (reducedSettings(bytes, isShared, rules, mine) ?? bytes).toString("latin1");
}

const latin = (text: string): string => Buffer.from(text).toString("latin1");

describe("kept", () => {
	for (const text of [
		"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n",
		"[core]\n\tworktree = ../../../libs/a b+c\n",
		latin("[core]\n\tworktree = ../../../Bücher/日本\n[user]\n\tname = Jörg O'Brien\n"),
		'[remote "origin"]\n\turl = https://github.com/a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch "feature/x"]\n\tremote = origin\n\tmerge = refs/heads/feature/x\n',
		'[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n[remote "origin"]\n\turl = git@github.com:a/b.git\n\tpushurl = ssh://git@host.example:22/a/b.git\n',
		'[remote "up"]\n\turl = /home/u/my projects/up.git\n\turl = ../up\n\turl = file:///home/u/up\n\turl = http://[::1]:80/x\n',
		'[submodule "libs/a b"]\n\tactive = true\n\turl = /home/u/lib\n[submodule]\n'.replace(
			"[submodule]\n",
			"",
		),
		"[rerere]\n\tenabled = true\n[pull]\n\trebase = true\n\n",
	])
		test(JSON.stringify(text), () => expect(reduced(text)).toBe(text));
});

describe("removed", () => {
	const none = "\u00a0 \u2028 \u3000 \u200b \ufeff \u180e \u202e".split(" ");
	const values = none
		.flatMap((each) => [`../x${each}`, `../${each}x`, `../x${each}y`])
		.map((each) => latin(each))
		.concat(
			"../x\xff",
			"../\xfe/x",
			"../l\0/../x",
			"../x\fy",
			"../x\vy",
			"../x\ry",
			"../x\r",
			'"../x"',
			"../x#",
		)
		.concat("../x;", "../x  y", "../x\ty", "/x", "x", ".", "..", "../..", "../x/../y", "../x/.", ".././x")
		.concat("../x//y", "../x/", "../x:y");
	for (const value of values)
		test(`a work tree at ${JSON.stringify(value)}`, () => {
			expect(reduced(`[core]\n\tbare = false\n\tworktree = ${value}\n\teol = lf\n`)).toBe(
				"[core]\n\tbare = false\n\teol = lf\n",
			);
		});
	const addresses = [
		"ext::sh -c x",
		"fd::3",
		"x::y",
		"ssh://-oProxyCommand=x/y",
		"ssh://u@-x/y",
		"host:-x",
		"-x",
		"~/x",
		"refused",
		"file://host/x",
		"file:///a%2fb",
		"/a\\b",
		'"/a"',
		latin("/a\u00a0"),
		"a:b::c\0",
	];
	for (const address of addresses)
		test(`a remote at ${JSON.stringify(address)}, and what names it`, () => {
			const text = `[remote "x"]\n\turl = ${address}\n[branch "main"]\n\tremote = x\n`;
			expect(reduced(text)).toBe('[remote "x"]\n[branch "main"]\n');
		});
	for (const [text, kept] of [
		["[core]\n\tfsmonitor = x\n\tbare = false\n", "[core]\n\tbare = false\n"],
		["[core]\n[alias]\n\tbare = true\n", "[core]\n"],
		["[core] bare = true\n\teol = lf\n", ""],
		["[core]\n\teol = lf \\\n\tbare = false\n", "[core]\n"],
		['[remote "a\\"b"]\n\turl = https://x/y\n', ""],
		['[Core "x"]\n\tbare = true\n[remote]\n\turl = https://x/y\n', ""],
		["\xef\xbb\xbf[core]\n\tbare = true\n", ""],
		["[core]\n\tbare\n\tsymlinks = \n\trepositoryformatversion = 7\n", "[core]\n"],
		['[branch "main"]\n\tremote = node_modules\n\trebase = interactive\n', '[branch "main"]\n'],
		["[include]\n\tpath = x\n[constructor]\n\tname = x\n", ""],
	] as const)
		test(JSON.stringify(text), () => expect(reduced(text)).toBe(kept));
});

test("what is of one worktree has only what git writes there", () => {
	const text =
		'[core]\n\tsparseCheckout = true\n\tsparseCheckoutCone = true\n\tworktree = ../../x\n[index]\n\tsparse = true\n[remote "origin"]\n\turl = https://x/y\n[branch "main"]\n\tremote = .\n';
	expect(reduced(text, undefined, false)).toBe(
		"[core]\n\tsparseCheckout = true\n\tsparseCheckoutCone = true\n[index]\n\tsparse = true\n",
	);
});

test("the user's own lines stay in their own section", () => {
	const own = '[alias]\n\tst = "!a \\\n\tb"\n[diff "x"]\n\tcommand = c\n';
	const more = '[remote "origin"]\n\turl = https://x/y\n[branch "b"]\n\tremote = origin\n';
	expect(reduced(own + more, own)).toBe(own + more);
	const moved = '[core]\n\tcommand = c\n[diff "x"]\n\tst = "!a \\\n\tb"\n\tcommand = c\n\tcommand = d\n';
	expect(reduced(moved, own)).toBe('[core]\n[diff "x"]\n\tcommand = c\n');
});

test("paths of remotes on this machine are known", () => {
	const text =
		'[remote "a"]\n\turl = ../a\n\tpushurl = file:///b\n\turl = h:c\n[submodule "d"]\n\turl = /d\n';
	expect(localRemotes(Buffer.from(text))).toEqual(["../a", "/b", "/d"]);
});

needs("git")("git reads what is kept as it stands there", () => {
	const root = mkdtempSync(join(tmpdir(), "tau-git-"));
	try {
		const names = [
			"a b",
			"ü",
			"x(y)[z]{}",
			"a'b`c$d!e&f*g?h|i<j>k",
			"=a",
			"a=b",
			"%41",
			"日本",
			"~",
			"a,b@c+d",
		];
		for (const name of names) {
			const text = latin(`[core]\n\tworktree = ../${name}/${name}\n[user]\n\tname = ${name}\n`);
			expect(reduced(text)).toBe(text);
			writeFileSync(join(root, "config"), text, "latin1");
			const read = (key: string): string =>
				Bun.spawnSync(["git", "config", "-z", "-f", "config", key], { cwd: root }).stdout.toString();
			expect([read("core.worktree"), read("user.name")]).toEqual([`../${name}/${name}\0`, `${name}\0`]);
		}
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
});
