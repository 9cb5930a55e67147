/** Files come back over RPC, in a resumed session, and on the command line after a crash. */
import { expect, test } from "bun:test";
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { launch, type Launched } from "../support/launch.ts";
import { model, startRpc, type Frame, type RpcProcess } from "./rpc-process.ts";

const call = (name: string, args: Record<string, unknown>) => ({
	answer: { blocks: [{ toolCall: { name, arguments: args } }] },
});

async function data(rpc: RpcProcess, command: object): Promise<Record<string, unknown>> {
	const response = await rpc.ask(command);
	expect(response).toMatchObject({ success: true });
	return (response as Frame & { data: Record<string, unknown> }).data;
}

async function prompt(rpc: RpcProcess, message: string): Promise<void> {
	const after = rpc.frames.length;
	await data(rpc, { type: "prompt", message });
	await rpc.until(({ type }) => type === "agent_end", after);
}

interface Point {
	entryId: string;
	files: number;
}

const file = (tau: Launched, name: string): string => readFileSync(join(tau.project, name), "utf8");

test("the files of a message come back, conflicts only with a yes, and redo takes it back", async () => {
	await using tau = await launch({
		steps: [
			call("write", { path: "a.txt", content: "by the model\n" }),
			call("bash", { command: "rm -rf keep && echo shell > b.txt && chmod 600 c.txt" }),
			"Done.",
			call("bash", { command: "echo later >> a.txt" }),
			"Again.",
		],
	});
	mkdirSync(join(tau.project, "keep/deep"), { recursive: true });
	writeFileSync(join(tau.project, "keep/deep/x"), "precious\n");
	writeFileSync(join(tau.project, "a.txt"), "mine\n");
	writeFileSync(join(tau.project, "c.txt"), "mode\n");
	await using rpc = startRpc(tau);
	await prompt(rpc, "one");
	await prompt(rpc, "two");
	const { points } = (await data(rpc, { type: "get_rewind_points" })) as { points: Point[] };
	expect(points).toMatchObject([
		{ text: "one", files: 4, shown: expect.arrayContaining(["a.txt", "b.txt", "c.txt", "keep/deep/x"]) },
		{ text: "two", files: 1, shown: ["a.txt"] },
	]);
	const [first, second] = points;
	const preview = await data(rpc, { type: "preview_rewind", entryId: second?.entryId, diff: true });
	expect(preview).toEqual({
		files: [{ path: "a.txt", action: "change", diff: expect.stringContaining("-later") }],
	});
	writeFileSync(join(tau.project, "b.txt"), "edited by the user\n");
	expect(await data(rpc, { type: "rewind", entryId: first?.entryId, restore: "files" })).toMatchObject({
		cancelled: false,
		files: { skipped: [{ path: "b.txt", conflict: "changed" }], failed: [] },
	});
	expect([file(tau, "a.txt"), file(tau, "b.txt"), file(tau, "keep/deep/x")]).toEqual([
		"mine\n",
		"edited by the user\n",
		"precious\n",
	]);
	const redone = await data(rpc, { type: "redo_rewind" });
	expect(redone).toMatchObject({ skipped: [], failed: [] });
	expect([file(tau, "a.txt"), existsSync(join(tau.project, "keep"))]).toEqual([
		"by the model\nlater\n",
		false,
	]);
	const both = { type: "rewind", entryId: first?.entryId, restore: "both", overwrite: true };
	expect(await data(rpc, both)).toMatchObject({ text: "one", files: { skipped: [], failed: [] } });
	expect([file(tau, "a.txt"), existsSync(join(tau.project, "b.txt"))]).toEqual(["mine\n", false]);
	expect(await data(rpc, { type: "get_state" })).toMatchObject({ messageCount: 0 });
});

test("what a process changes that a command left behind is the session's, and needs a yes", async () => {
	const loop =
		"until [ -e ~/go ]; do sleep 0.02; done; echo late > late.txt; rm old.txt; touch ~/done; exec sleep 100";
	await using tau = await launch({
		steps: [call("bash", { command: `(nohup sh -c '${loop}' >/dev/null 2>&1 &)` }), "Done."],
	});
	writeFileSync(join(tau.project, "old.txt"), "precious\n");
	await using rpc = startRpc(tau);
	await prompt(rpc, "one");
	writeFileSync(join(tau.home, "go"), "");
	while (!existsSync(join(tau.home, "done"))) await Bun.sleep(5);
	const { points } = (await data(rpc, { type: "get_rewind_points" })) as { points: Point[] };
	const entryId = points[0]?.entryId;
	const { files } = await data(rpc, { type: "preview_rewind", entryId });
	expect(files).toEqual([
		{ path: "late.txt", action: "delete", conflict: "background" },
		{ path: "old.txt", action: "create", conflict: "background" },
	]);
	await data(rpc, { type: "rewind", entryId, restore: "files", overwrite: true });
	expect([existsSync(join(tau.project, "late.txt")), file(tau, "old.txt")]).toEqual([false, "precious\n"]);
});

test("after kill -9 the files of a session are restored on the command line, with a conflict only by force", async () => {
	await using tau = await launch({
		steps: [
			call("bash", { command: "rm -rf src && echo new > notes.txt" }),
			call("bash", { command: "touch waits; sleep 60" }),
		],
	});
	mkdirSync(join(tau.project, "src"));
	writeFileSync(join(tau.project, "src/a.ts"), "export {};\n");
	writeFileSync(join(tau.project, "notes.txt"), "old\n");
	const rpc = startRpc(tau);
	await data(rpc, { type: "prompt", message: "delete it" });
	await rpc.until(({ type, toolName }) => type === "tool_execution_end" && toolName === "bash");
	await rpc.until(({ type }) => type === "tool_execution_start", rpc.frames.length - 1);
	rpc.running.process.kill("SIGKILL");
	await rpc.running.finished;
	const listed = await tau.run(["sessions", "list", "--mode", "json"]);
	const { id } = JSON.parse(listed.out.split("\n")[0] ?? "") as { id: string };
	const points = await tau.run(["sessions", "restore", id, "--mode", "json"]);
	const point = JSON.parse(points.out.split("\n")[0] ?? "") as Point;
	expect(point.files).toBeGreaterThanOrEqual(2);
	writeFileSync(join(tau.project, "notes.txt"), "edited since\n");
	const dry = await tau.run(["sessions", "restore", id, point.entryId, "--dry-run"]);
	expect(dry.out).toContain("create src/a.ts");
	expect(dry.out).toContain("notes.txt (changed since by you or another program)");
	const restored = await tau.run(["sessions", "restore", id, point.entryId]);
	expect([restored.code, file(tau, "src/a.ts"), file(tau, "notes.txt")]).toEqual([
		1,
		"export {};\n",
		"edited since\n",
	]);
	await tau.run(["sessions", "restore", id, point.entryId, "--force"]);
	expect(file(tau, "notes.txt")).toBe("old\n");
	await tau.run(["sessions", "restore", id, "redo"]);
	expect(file(tau, "notes.txt")).toBe("edited since\n");
	// The same in the resumed session.
	await using resumed = startRpc(tau, [...model, "-c"]);
	const again = await data(resumed, {
		type: "rewind",
		entryId: point.entryId,
		restore: "files",
		overwrite: true,
	});
	expect(again).toMatchObject({ files: { failed: [] } });
	expect(file(tau, "notes.txt")).toBe("old\n");
});

test("a session that somebody has sent restores nothing outside of the current project without force", async () => {
	await using tau = await launch({ steps: [call("write", { path: "a.txt", content: "1\n" }), "Done."] });
	const written = await tau.run([...model, "-p", "write it"]);
	expect(written.code).toBe(0);
	const listed = await tau.run(["sessions", "list", "--mode", "json"]);
	const own = (JSON.parse(listed.out.split("\n")[0] ?? "") as { path: string }).path;
	const sent = join(tau.project, "sent");
	cpSync(dirname(own), sent, { recursive: true });
	const session = join(sent, basename(own));
	const victim = join(tau.home, "work");
	mkdirSync(victim);
	const image = { kind: "link", target: "/bin/true" };
	const batch = (root: string, name: string): string =>
		`${JSON.stringify({ timestamp: Date.now(), root, lastId: entryOf(session), by: "tool", changes: [{ path: join(root, name), before: image, after: { kind: "absent" } }] })}\n`;
	const record = join(session.replace(/\.jsonl$/, ""), "rewind/changes.ndjson");
	appendFileSync(record, batch(tau.home, ".planted") + batch(victim, "planted"));
	const restored = await tau.run(["sessions", "restore", session, entryOf(session)]);
	expect([existsSync(join(victim, "planted")), existsSync(join(tau.home, ".planted"))]).toEqual([
		false,
		false,
	]);
	expect(restored.out).toContain("outside of the project");
	expect(existsSync(join(tau.project, "a.txt"))).toBe(false);
});

/** The user's message in a session file. */
function entryOf(path: string): string {
	const entries = readFileSync(path, "utf8").trim().split("\n");
	const message = entries.find((line) => line.includes('"role":"user"')) ?? "";
	return (JSON.parse(message) as { id: string }).id;
}
