/** Lock files of editors, and what becomes of a diff that was edited there. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { amendedTexts, proposedChange } from "./approval.ts";
import { editorsFor, offeredEditors, terminalPort } from "./lock-files.ts";
import { mentionText } from "./link.ts";

let home: string;

beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "tau-ide-"));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

function lock(name: string, content: object | string, mode = 0o600, directory = ".claude/ide"): void {
	mkdirSync(join(home, directory), { recursive: true, mode: 0o700 });
	const path = join(home, directory, name);
	writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
	chmodSync(path, mode);
}

const found = () => offeredEditors({ HOME: home });

describe("editors are found by their lock files", () => {
	test("of our extension and of Claude Code's, each port once", () => {
		lock("4001.lock", { authToken: "a", ideName: "One", workspaceFolders: ["/x"] }, 0o600, ".tau/ide");
		lock("4001.lock", { authToken: "b" });
		lock("4002.lock", { authToken: "c", ideName: "Two\u001b[31m" }, 0o600, ".config/claude/ide");
		lock("notes.txt", "nothing");
		expect(found().editors).toEqual([
			{ name: "One", port: 4001, token: "a", folders: ["/x"] },
			{ name: "Two", port: 4002, token: "c", folders: [] },
		]);
	});

	test("not where others could have written them, not of an editor that is gone, not without a token", () => {
		lock("1.lock", { authToken: "a" }, 0o620);
		lock("2.lock", { authToken: "a", pid: 2 ** 30 });
		lock("3.lock", { authToken: "two\nlines" });
		lock("4.lock", { authToken: "a", transport: "sse" });
		lock("5.lock", "{");
		lock("6.lock", " ".repeat(70_000));
		expect(found().editors).toEqual([]);
		const why = found().problems.join("\n");
		expect(why).toContain("1.lock can be written by others");
		expect(why).toContain("3.lock has no token");
		expect(why).toContain("4.lock names a transport");
		expect(why).toContain("5.lock is not a lock file");
		expect(why).toContain("6.lock is larger than");
		expect(found().problems).toHaveLength(5);
		lock("7.lock", { authToken: "a" }, 0o600, ".tau/ide");
		chmodSync(join(home, ".tau/ide"), 0o777);
		expect(found().problems.join("\n")).toContain("7.lock is in a directory that others can write to");
	});

	needs(
		"root",
		"setpriv",
		"python3",
	)("not where another user listens on the port of an editor that has crashed", async () => {
		const listen =
			"import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(); print(s.getsockname()[1], flush=True); s.accept()";
		const asOther = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
		const other = Bun.spawn([...asOther, "/usr/bin/python3", "-c", listen], { cwd: "/", stdout: "pipe" });
		try {
			const { value } = await other.stdout.getReader().read();
			const port = Number(new TextDecoder().decode(value));
			lock(`${port}.lock`, { authToken: "a" });
			lock(`${port + 1}.lock`, { authToken: "a", pid: other.pid });
			using own = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
			lock(`${own.port}.lock`, { authToken: "a" });
			expect(found().problems.join()).toContain("names a port on which another user listens");
			expect(found().editors.map((editor) => editor.port)).not.toContain(port);
			expect(found().editors.map((editor) => editor.port)).toContain(own.port ?? 0);
		} finally {
			other.kill();
		}
	});

	test("the one with the nearest folder first, through links, and none beside it", () => {
		mkdirSync(join(home, "project/part"), { recursive: true });
		symlinkSync(join(home, "project"), join(home, "link"));
		const editor = (port: number, ...folders: string[]) => ({ name: "", port, token: "", folders });
		const all = [
			editor(1, home),
			editor(2, join(home, "link/part")),
			editor(3, join(home, "proj")),
			editor(4),
		];
		expect(editorsFor(join(home, "project/part"), all).map(({ port }) => port)).toEqual([2, 1]);
	});

	test("a terminal of the editor names the port, ours first", () => {
		expect(terminalPort({ CLAUDE_CODE_SSE_PORT: "4000" })).toBe(4000);
		expect(terminalPort({ CLAUDE_CODE_SSE_PORT: "4000", TAU_IDE_PORT: "4001" })).toBe(4001);
		for (const port of ["", "0", "70000", "1e9", "x"])
			expect(terminalPort({ TAU_IDE_PORT: port })).toBeUndefined();
	});
});

test("a mention is relative to the directory, and quoted where it has to be", () => {
	expect(mentionText({ file: "/p/src/a.ts", lines: { from: 1, to: 2 } }, "/p")).toBe("@src/a.ts:1-2");
	expect(mentionText({ file: "/q/b c.ts" }, "/p")).toBe('@"/q/b c.ts"');
});

describe("the change of a call, as a file", () => {
	const touches = (path: string) => [{ kind: "write" as const, path }];
	const preview = { kind: "diff" as const, text: "-1 one\n+1 two" };

	test("is the file with the diff applied", () => {
		const file = join(home, "a.txt");
		writeFileSync(file, "one\nthree\n");
		expect(proposedChange({ touches: touches(file), preview })).toEqual({ file, text: "two\nthree\n" });
	});

	test("is nothing for other files than one, or one that the diff does not fit", () => {
		const file = join(home, "a.txt");
		writeFileSync(file, "one\r\n");
		expect(proposedChange({ touches: touches(file), preview })).toBeUndefined();
		writeFileSync(file, "else\n");
		expect(proposedChange({ touches: touches(file), preview })).toBeUndefined();
		expect(proposedChange({ touches: [...touches(file), ...touches("/b")], preview })).toBeUndefined();
		expect(proposedChange({ touches: touches(home), preview })).toBeUndefined();
		expect(proposedChange({ touches: touches(file), preview: { kind: "text", text: "" } })).toBeUndefined();
	});
});

describe("what was edited in the editor becomes the texts of the call", () => {
	const texts = (...all: string[]) => all.map((text) => ({ name: "newText", text }));

	test("one text, or several, wherever they are", () => {
		expect(amendedTexts("a\nNEW\nz\n", "a\nmine\nand more\nz\n", texts("NEW"))).toEqual(["mine\nand more"]);
		expect(amendedTexts("a\nNEW\nz\n", "a\nmine\nz\n", texts("NEW\n"))).toEqual(["mine\n"]);
		expect(amendedTexts("a B c D e", "a x c  e", texts("B", "D"))).toEqual(["x", ""]);
		expect(amendedTexts("all\n", "none\n", texts("all"))).toEqual(["none"]);
	});

	test("nothing where the edit is beside them, or it is not clear where they are", () => {
		expect(amendedTexts("a\nNEW\nz\n", "b\nNEW\nz\n", texts("NEW"))).toBeUndefined();
		expect(amendedTexts("a\nNEW\nz\n", "a\nNEW\ny\n", texts("NEW"))).toBeUndefined();
		expect(amendedTexts("a NEW NEW", "a x NEW", texts("NEW"))).toBeUndefined();
		expect(amendedTexts("a", "b", texts())).toBeUndefined();
		expect(amendedTexts("a B c D e", "a x", texts("B", "D"))).toBeUndefined();
	});
});
