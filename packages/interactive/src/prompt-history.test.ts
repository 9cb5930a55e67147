/** The prompts of a directory outlive its sessions, and nobody else can read them. */
import {
	appendFileSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "bun:test";

import { limits } from "./limits.ts";
import { PromptHistory } from "./prompt-history.ts";

function place() {
	const directory = mkdtempSync(join(tmpdir(), "tau-history-"));
	const open = (cwd = "/work") =>
		new PromptHistory({ directory: join(directory, "history"), cwd: () => cwd });
	const files = () => readdirSync(join(directory, "history")).map((name) => join(directory, "history", name));
	return {
		open,
		files,
		[Symbol.dispose]: () => rmSync(directory, { recursive: true }),
	};
}
const texts = (prompts: readonly { text: string }[]): string[] => prompts.map(({ text }) => text);

test("a later session finds the prompts of its directory, the newest first and each once", () => {
	using here = place();
	const history = here.open();
	history.add("fix the tests", 1);
	history.add("add a page", 2);
	history.add("fix the tests", 3);
	here.open("/other").add("paint the shed", 4);
	expect(texts(here.open().ofProject())).toEqual(["fix the tests", "add a page"]);
	expect(texts(here.open().ofAll())).toEqual(["paint the shed", "fix the tests", "add a page"]);
});

test("only the user can read the file, and keys in prompts are masked", () => {
	using here = place();
	here.open().add("use sk-ant-api03-abcdefghijklmnopqrstuvwxyz as the key");
	const [file = ""] = here.files();
	expect(statSync(file).mode & 0o777).toBe(0o600);
	expect(readFileSync(file, "utf8")).not.toContain("abcdefghijklmnop");
});

test("a torn line costs only that line", () => {
	using here = place();
	here.open().add("one", 1);
	const [file = ""] = here.files();
	appendFileSync(file, '{"at":2,"text":"to');
	here.open().add("three", 3);
	expect(texts(here.open().ofProject())).toEqual(["three", "one"]);
});

test("the file stays bounded and keeps what is new", () => {
	using here = place();
	const history = here.open();
	const words = "x".repeat(limits.storedPromptChars - 10);
	for (let at = 1; at <= 40; at++) history.add(`${at} ${words}`, at);
	const [file = ""] = here.files();
	expect(here.files()).toHaveLength(1);
	expect(statSync(file).size).toBeLessThanOrEqual(limits.historyBytes);
	expect(texts(history.ofProject())[0]).toStartWith("40 ");
	history.add("y".repeat(limits.storedPromptChars + 1));
	expect(texts(history.ofProject())[0]).toStartWith("40 ");
});

test("two processes that store prompts at once lose none, also while one shortens the file", async () => {
	using here = place();
	const history = here.open();
	history.add("first", 0);
	const [file = ""] = here.files();
	// Both soon reach the size at which the file is shortened.
	const filler = JSON.stringify({ at: 1, text: "x".repeat(1000) });
	writeFileSync(file, `${filler}\n`.repeat(Math.floor((limits.historyBytes - 4000) / (filler.length + 1))));
	const script = join(here.files()[0] ?? "", "..", "..", "add.ts");
	writeFileSync(
		script,
		`import { PromptHistory } from ${JSON.stringify(join(import.meta.dir, "prompt-history.ts"))};
const history = new PromptHistory({ directory: ${JSON.stringify(join(file, ".."))}, cwd: () => "/work" });
for (let at = 0; at < 50; at++) history.add(process.argv[2] + at, 1000 + at);`,
	);
	const runs = ["a", "b"].map((name) => Bun.spawn([process.execPath, script, name]).exited);
	expect(await Promise.all(runs)).toEqual([0, 0]);
	expect(texts(history.ofProject()).filter((text) => /^[ab]\d+$/.test(text))).toHaveLength(100);
});

test("a history that cannot be read or written disturbs nobody", () => {
	using here = place();
	here.open().add("one");
	const [file = ""] = here.files();
	const history = new PromptHistory({ directory: join(file, "below-a-file"), cwd: () => "/work" });
	history.add("two");
	expect(history.ofProject()).toEqual([]);
	expect(history.ofAll()).toEqual([]);
});
