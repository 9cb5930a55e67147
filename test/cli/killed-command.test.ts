/** `kill -9` in the middle of a command that has just changed files: `tau sessions restore` and a resumed session bring them back. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { isEvent, startRpc } from "../rpc/rpc-process.ts";
import { launch, type Launched } from "../support/launch.ts";
import { needs } from "../support/needs.ts";

const model = ["--model", "played/played-1"];
const damage = "rm b.txt; echo changed > a.txt; echo x > new.txt; touch done; sleep 100";

async function killed(): Promise<Launched> {
	const call = { toolCall: { name: "bash", arguments: { command: damage } } };
	const tau = await launch({ steps: [{ answer: { blocks: [call] } }, "Done."] });
	writeFileSync(join(tau.project, "a.txt"), "1\n");
	writeFileSync(join(tau.project, "b.txt"), "2\n");
	const running = tau.start(["-p", "go", ...model]);
	while (!existsSync(join(tau.project, "done"))) await Bun.sleep(5);
	running.process.kill("SIGKILL");
	await running.finished;
	return tau;
}

function files(tau: Launched): unknown {
	const names = ["a.txt", "b.txt", "new.txt"];
	return names.map((name) => {
		const path = join(tau.project, name);
		return existsSync(path) ? readFileSync(path, "utf8") : undefined;
	});
}

test("tau sessions restore finds what the command changed, and puts it back", async () => {
	await using tau = await killed();
	const { out: list } = await tau.run(["sessions", "list", "--mode", "json"]);
	const { id } = JSON.parse(list.split("\n")[0] ?? "") as { id: string };
	const points = await tau.run(["sessions", "restore", id, "--mode", "json"]);
	const [point] = points.out.trim().split("\n");
	const { entryId, files: count } = JSON.parse(point ?? "") as { entryId: string; files: number };
	expect(count).toBe(4);
	const { code, out, err } = await tau.run(["sessions", "restore", id, entryId]);
	expect({ code, err, out }).toEqual({ code: 0, err: "", out: expect.stringContaining("Restored 4 files") });
	expect(files(tau)).toEqual(["1\n", "2\n", undefined]);
});

test("so does a session that is resumed", async () => {
	await using tau = await killed();
	await using rpc = startRpc(tau, ["-c", ...model]);
	const { data } = await rpc.ask({ type: "get_rewind_points" });
	const [point] = (data as { points: { entryId: string; files: number }[] }).points;
	expect(point?.files).toBe(4);
	await rpc.ask({ type: "rewind", entryId: point?.entryId, restore: "files" });
	expect(files(tau)).toEqual(["1\n", "2\n", undefined]);
	// What runs next is recorded as usual.
	await rpc.ask({ type: "prompt", message: "again" });
	await rpc.until(isEvent("agent_end"));
});

needs(
	"bwrap",
	"nsenter",
	"git",
)(
	"what a killed command made for programs outside is listed and taken back, and the user's repository was closed to it",
	async () => {
		const plant =
			"echo x > .git/hooks/pre-commit; git config alias.st '!evil'; mkdir .vscode; echo '{}' > .vscode/tasks.json; touch done; sleep 100";
		const call = { toolCall: { name: "bash", arguments: { command: "sh plant.sh" } } };
		await using tau = await launch({ steps: [{ answer: { blocks: [call] } }, "Done."] });
		Bun.spawnSync(["git", "init", "-q"], { cwd: tau.project });
		writeFileSync(join(tau.project, "plant.sh"), plant);
		const running = tau.start(["-p", "go", ...model, "--sandbox", "required"]);
		while (!existsSync(join(tau.project, "done"))) await Bun.sleep(5);
		running.process.kill("SIGKILL");
		await running.finished;
		expect(existsSync(join(tau.project, ".git/hooks/pre-commit"))).toBe(false);
		expect(readFileSync(join(tau.project, ".git/config"), "utf8")).not.toContain("evil");
		const { out: list } = await tau.run(["sessions", "list", "--mode", "json"]);
		const { id } = JSON.parse(list.split("\n")[0] ?? "") as { id: string };
		const points = await tau.run(["sessions", "restore", id, "--mode", "json"]);
		const { entryId } = JSON.parse(points.out.trim().split("\n")[0] ?? "") as { entryId: string };
		expect((await tau.run(["sessions", "restore", id, entryId])).out).toContain("Restored");
		expect(existsSync(join(tau.project, ".vscode/tasks.json"))).toBe(false);
	},
);
