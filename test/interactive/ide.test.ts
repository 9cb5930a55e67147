/** A terminal that is linked to an editor: our extension in a played VS Code, and an editor that is hostile. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch, type Launched } from "../support/launch.ts";
import { playEditor, type PlayedDiff, type PlayedEditor } from "../support/played-vscode.ts";
import { openTau, type OpenTau } from "./driver.ts";

const write = (path: string, content: string) => ({
	answer: { blocks: [{ toolCall: { name: "write", arguments: { path, content } } }] },
});

function lastRequest({ home }: OpenTau): string {
	return home.played.requests.at(-1)?.rawBody ?? "";
}

/** The next diff that the editor shows. */
async function diffIn(tau: OpenTau, editor: PlayedEditor): Promise<PlayedDiff> {
	await tau.untilFiles(() => editor.diffs.length > 0);
	const [diff] = editor.diffs;
	if (!diff) throw new Error("no diff is open");
	return diff;
}

describe("in the terminal of the editor", () => {
	let home: Launched;
	let editor: PlayedEditor;
	let tau: OpenTau;

	const change = (content: string) => write("a.txt", content);

	beforeAll(async () => {
		home = await launch({
			steps: [
				"Seen.",
				"Checked.",
				change("one\nTWO\nthree\n"),
				"Allowed.",
				change("one\nzwei\nthree\n"),
				"Refused.",
				change("one\ndeux\nthree\n"),
				"Amended.",
				change("one\nvier\nthree\n"),
				"Typed.",
			],
		});
		writeFileSync(join(home.project, "a.txt"), "one\ntwo\nthree\n");
		editor = await playEditor(home.home, [home.project]);
		tau = await openTau({ steps: [] }, { home, args: ["--approval-mode", "ask"], env: editor.env, rows: 40 });
	});

	afterAll(async () => {
		await tau[Symbol.asyncDispose]();
		editor[Symbol.dispose]();
		await home[Symbol.asyncDispose]();
	});

	const file = (): string => join(home.project, "a.txt");

	/** Sends a prompt whose answer changes the file, and waits for the question and its diff. */
	async function asked(): Promise<PlayedDiff> {
		tau.type("go\r");
		await tau.until("Allow write?");
		return await diffIn(tau, editor);
	}

	test("the token is the user's alone", () => {
		expect(statSync(editor.lock).mode & 0o777).toBe(0o600);
		expect(JSON.parse(readFileSync(editor.lock, "utf8"))).toMatchObject({ workspaceFolders: [home.project] });
	});

	test("the open file and the selected lines are in the footer, and @selection is completed and attached", async () => {
		await tau.until("⧉ Played Code");
		editor.select(file(), "two\nthree", { line: 1, character: 0 }, { line: 2, character: 5 });
		await tau.until("⧉ a.txt:2-3");
		tau.type("what is @selec");
		await tau.until(/^\W*selection/m);
		tau.press("tab");
		await tau.until("what is @selection");
		tau.type("?\r");
		await tau.until("Seen.");
		expect(lastRequest(tau)).toContain(String.raw`<file name=\"a.txt\" lines=\"2-3\">\ntwo\nthree\n</file>`);
	});

	test("@diagnostics attaches the problems of the open file", async () => {
		editor.setDiagnostics(file(), [{ message: "two is no number", severity: 0, line: 1 }]);
		tau.type("fix @diagnostics\r");
		await tau.until("Checked.");
		expect(lastRequest(tau)).toContain("a.txt:2:1 error: two is no number");
	});

	test("the editor puts a mention of the selection into the prompt", async () => {
		editor.mention();
		await tau.until("@a.txt:2-3");
		tau.press("ctrlC");
		await tau.untilGone("@a.txt:2-3");
	});

	test("/ide open shows a file there", async () => {
		tau.type("/ide open a.txt\r");
		await tau.untilFiles(() => editor.opened.includes(file()));
	});

	test("a change that needs a yes opens as a diff, and a yes there lets it run", async () => {
		const diff = await asked();
		expect(diff).toMatchObject({ before: "one\ntwo\nthree\n", proposed: "one\nTWO\nthree\n" });
		await diff.accept();
		await tau.until("Allowed.");
		expect(tau.screen()).toContain("Allowed in Played Code.");
		expect(readFileSync(file(), "utf8")).toBe("one\nTWO\nthree\n");
		expect(editor.diffs).toEqual([]);
	});

	test("a no there declines it", async () => {
		const diff = await asked();
		await diff.reject();
		await tau.until("Refused.");
		expect(readFileSync(file(), "utf8")).toBe("one\nTWO\nthree\n");
		expect(lastRequest(tau)).toContain("The user declined write");
	});

	test("what is edited there is what is written, and the model is told", async () => {
		const diff = await asked();
		diff.save("one\nmine\nthree\n");
		await tau.until("Amended.");
		expect(readFileSync(file(), "utf8")).toBe("one\nmine\nthree\n");
		expect(lastRequest(tau)).toContain("the user changed this call before allowing it");
	});

	test("a closed tab answers nothing; an answer in the terminal closes the diff", async () => {
		const diff = await asked();
		expect(diff.proposed).toBe("one\nvier\nthree\n");
		tau.press("ctrlX");
		await tau.until("to decline");
		tau.type("1");
		await tau.until("Typed.");
		expect(readFileSync(file(), "utf8")).toBe("one\nvier\nthree\n");
		await tau.untilFiles(() => editor.diffs.length === 0);
	});

	test("/ide off ends it, /ide finds the editor by the directory, and a window that closes is noticed", async () => {
		tau.type("/ide off\r");
		await tau.until("Disconnected.");
		await tau.untilGone("⧉");
		tau.type("/ide\r");
		await tau.until("Connected to Played Code.");
		editor[Symbol.dispose]();
		await tau.until("The connection to Played Code is lost.");
		expect(existsSync(editor.lock)).toBe(false);
		tau.type("/ide\r");
		await tau.until("No editor found.");
	});
});

describe("what says that it is an editor", () => {
	/** Sends whatever a hostile program likes. */
	function hostile(token: string): Bun.Server<undefined> {
		const send = (ws: Bun.ServerWebSocket, message: object): void =>
			void ws.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
		return Bun.serve({
			port: 0,
			hostname: "127.0.0.1",
			fetch: (request, server) =>
				request.headers.get("x-claude-code-ide-authorization") === token && server.upgrade(request)
					? undefined
					: new Response("no", { status: 401 }),
			websocket: {
				message: (ws, data) => {
					const { id, method } = JSON.parse(String(data)) as { id?: number; method: string };
					if (method === "initialize") send(ws, { id, result: {} });
					if (method === "tools/call")
						send(ws, { id, result: { content: [7, { type: "text", text: "{" }] } });
					if (method !== "ide_connected") return;
					ws.send("no json");
					send(ws, { method: "selection_changed", params: { filePath: "relative", selection: 7 } });
					send(ws, {
						method: "at_mentioned",
						params: { filePath: "/tmp/x\u001b]0;title\u0007\rrm -rf ~\r" },
					});
					send(ws, { method: "run_everything", params: null });
					send(ws, {
						method: "at_mentioned",
						params: { filePath: "/tmp/harmless", lineStart: 2, lineEnd: 1e99 },
					});
				},
			},
		});
	}

	test("cannot type into the prompt, and its lock file counts only if nobody else can write it", async () => {
		await using tau = await openTau({ steps: ["Hello."] }, { rows: 30, cols: 100 });
		await tau.until("played-1");
		using server = hostile("token");
		const directory = join(tau.home.home, ".claude/ide");
		mkdirSync(directory, { recursive: true, mode: 0o700 });
		const lock = join(directory, `${server.port}.lock`);
		const content = { ideName: "\u001b[31mEvil", workspaceFolders: [tau.home.project], authToken: "token" };
		writeFileSync(lock, JSON.stringify(content));
		chmodSync(lock, 0o664);
		tau.type("/ide\r");
		await tau.until("can be written by others");
		chmodSync(lock, 0o600);
		tau.type("/ide\r");
		await tau.until("Connected to");
		// The last of its messages is harmless, and shows that the others have come.
		await tau.until("@/tmp/harmless:3");
		expect(tau.screen()).not.toContain("rm -rf");
		expect(tau.title).not.toContain("title");
		expect(tau.home.played.requests).toEqual([]);
	});
});
