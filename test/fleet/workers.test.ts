/** Workers that are lost, drained, asked and steered, as processes of the real program. */
import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../support/needs.ts";
import { untilEnded } from "../support/processes.ts";
import { launchFleet, untilHeld } from "./fleet.ts";

const test = needs("git");

const call = (name: string, args: Record<string, unknown>) => ({
	answer: { blocks: [{ toolCall: { name, arguments: args } }] },
});
const write = (path: string, content: string) => call("write", { path, content });
const held = { answer: { blocks: [{ text: "never ends" }] }, fault: { silent: true as const } };

/** Leases run out soon; a busy machine still renews them in time. */
const quick = { TAU_FLEET_LEASE_MS: "4000" };

test("another worker continues after the last finished entry when a worker is killed", async () => {
	await using fleet = await launchFleet(
		{ steps: [write("one.txt", "1\n"), held, write("two.txt", "2\n"), "Both are made."] },
		quick,
	);
	// Only workers of this test.
	const [id = ""] = await fleet.add("make two files", "--label", "mine");
	const first = fleet.worker("--labels", "mine");
	await untilHeld(fleet, 2);
	// The model may have been asked before the worker has joined the session.
	await fleet.untilTask(id, ({ progress }) => progress.sessionId !== undefined);
	// The result is stored, and with it the file.
	await fleet.untilLog(id, "  write: ");
	const pids = await fleet.sessionPids();
	expect(pids).toHaveLength(1);
	first.process.kill("SIGKILL");
	await first.finished;
	await untilEnded(...pids);
	const second = fleet.worker("--labels", "mine");
	const done = await fleet.untilTask(id, ({ state }) => state === "done" || state === "failed");
	expect(done).toMatchObject({
		state: "done",
		lease: 2,
		result: { summary: "Both are made.", branch: `tau/${id}-2` },
	});
	expect(fleet.git("diff", "--stat", "--name-only", "main", `tau/${id}-2`)).toBe("one.txt\ntwo.txt");
	expect(fleet.git("for-each-ref", "--format=%(refname)")).toBe(`refs/heads/main\nrefs/heads/tau/${id}-2`);
	fleet.git("fsck", "--strict");
	// It was not asked for the first file again, and was told where it is.
	const bodies = fleet.played.requests.map(({ body }) => JSON.stringify(body));
	expect(bodies).toHaveLength(4);
	expect(bodies[2]).toContain("The machine that you worked on was lost");
	const raw = (await fleet.run(["task", "logs", id, "--json"])).out
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line));
	const ids = raw.flatMap((entry) => (entry.type === "session" ? [] : [entry.id]));
	expect(new Set(ids).size).toBe(ids.length);
	expect(raw[0]).toMatchObject({ type: "session", task: id, lease: 1 });
	second.process.kill("SIGTERM");
	expect((await second.finished).code).toBe(0);
	expect(fleet.leftovers()).toEqual([]);
}, 180_000);

test("a task whose changes cannot be applied elsewhere starts anew, says so, and has cost both", async () => {
	const usage = { input: 1000, output: 100 };
	const costly = { answer: { ...write("one.txt", "1\n").answer, usage } };
	const done = { answer: { blocks: [{ text: "Made anew." }], usage } };
	await using fleet = await launchFleet({ steps: [costly, held, done] }, quick);
	const [id = ""] = await fleet.add("make a file", "--label", "mine");
	const first = fleet.worker("--labels", "mine");
	await untilHeld(fleet, 2);
	await fleet.untilLog(id, "  write: ");
	await fleet.untilTask(id, ({ progress }) => progress.cost > 0.004);
	first.process.kill("SIGKILL");
	await first.finished;
	using database = new Database(join(fleet.home, ".tau/state/fleet/tasks.db"));
	const { changes } = database.run("UPDATE blobs SET content = 'no patch' WHERE kind = 'patch'");
	expect(changes).toBe(1);
	const second = fleet.worker("--labels", "mine");
	const anew = await fleet.untilTask(id, ({ state }) => state === "done" || state === "failed");
	expect(anew).toMatchObject({ state: "done", lease: 2, progress: { cost: expect.closeTo(0.009) } });
	expect(anew.progress.note).toContain("Started anew: its changes so far could not be applied.");
	expect((await fleet.run(["task", "show", id])).out).toContain("Started anew");
	// It is told what it was told at first, and nothing of what is lost.
	const last = JSON.stringify(fleet.played.requests[2]?.body);
	expect([last.includes("make a file"), last.includes("one.txt")]).toEqual([true, false]);
	second.process.kill("SIGTERM");
	await second.finished;
}, 180_000);

test("workers of a task have one budget together", async () => {
	const usage = { input: 1000, output: 100 };
	const costly = (path: string) => ({ answer: { ...write(path, "1\n").answer, usage } });
	await using fleet = await launchFleet(
		{ steps: [costly("one.txt"), held, costly("two.txt"), "never"] },
		quick,
	);
	const [id = ""] = await fleet.add("make two files", "--budget", "0.008", "--label", "mine");
	const first = fleet.worker("--labels", "mine");
	await untilHeld(fleet, 2);
	await fleet.untilLog(id, "  write: ");
	await fleet.untilTask(id, ({ progress }) => progress.cost > 0.004);
	first.process.kill("SIGKILL");
	await first.finished;
	const second = fleet.worker("--labels", "mine");
	const failed = await fleet.untilTask(id, ({ state }) => state === "done" || state === "failed");
	expect(failed).toMatchObject({ state: "failed", lease: 2, progress: { cost: expect.closeTo(0.009) } });
	expect(failed.problem).toContain("is used up");
	second.process.kill("SIGTERM");
	await second.finished;
}, 180_000);

test("a worker that ends hands its task over, and a task that is stopped leaves nothing", async () => {
	await using fleet = await launchFleet(
		{ steps: [held, "Continued elsewhere.", held, held] },
		{ ...quick, TAU_FLEET_DRAIN_MS: "0" },
	);
	const [id = ""] = await fleet.add("do it", "--label", "mine");
	const first = fleet.worker("--labels", "mine");
	await untilHeld(fleet, 1);
	first.process.kill("SIGTERM");
	expect((await first.finished).code).toBe(0);
	expect(await fleet.show(id)).toMatchObject({ state: "queued", lease: 1 });
	expect(fleet.leftovers()).toEqual([]);
	const second = fleet.worker("--labels", "mine", "--slots", "1");
	expect(await fleet.untilTask(id, ({ state }) => state === "done")).toMatchObject({ lease: 2 });
	const [other = ""] = await fleet.add("another", "--label", "mine");
	await untilHeld(fleet, 3);
	expect((await fleet.run(["task", "stop", "--all"])).out).toBe("Stopped 1 of 1.\n");
	await second.until(({ err }) => err.includes(`task ${other} ended here`));
	expect(await fleet.show(other)).toMatchObject({ state: "stopped" });
	const refs = (): string => fleet.git("for-each-ref", "--format=%(refname)", "refs/heads/tau", "refs/tau");
	await fleet.until(() => refs() === "");
	// Also where its worker was killed before.
	const [last = ""] = await fleet.add("the last", "--label", "mine");
	await untilHeld(fleet, 4);
	await fleet.until(() => refs() === `refs/tau/fence/${last}`);
	second.process.kill("SIGKILL");
	await second.finished;
	await fleet.run(["task", "stop", last]);
	expect(refs()).toBe("");
}, 180_000);

test("a question is listed, answered and steered from the command line, and parked when nobody answers", async () => {
	const ask = call("bash", { command: "touch asked" });
	await using fleet = await launchFleet(
		{ steps: [ask, "First.", ask, ask, "Second."] },
		{ ...quick, TAU_FLEET_PARK_MS: "60000" },
	);
	const [id = ""] = await fleet.add("touch it", "--approval-mode", "ask", "--label", "mine");
	const first = fleet.worker("--labels", "mine");
	const asks = await fleet.untilTask(id, ({ progress }) => progress.questions.length === 1);
	expect(asks.progress.questions[0]?.text).toContain("touch asked");
	expect((await fleet.run(["task", "list"])).out).toMatch(new RegExp(`${id} +waiting .*asks: `));
	const question = await fleet.run(["task", "answer", id]);
	expect(question.out).toContain("1. Yes, once");
	await fleet.run(["task", "answer", id, "1"]);
	expect(await fleet.untilTask(id, ({ state }) => state === "done")).toMatchObject({
		result: { summary: "First." },
	});
	first.process.kill("SIGTERM");
	await first.finished;
	const [parked = ""] = await fleet.add("touch it again", "--approval-mode", "ask", "--label", "mine");
	const second = fleet.start(["worker", "--labels", "mine"], { env: { ...quick, TAU_FLEET_PARK_MS: "100" } });
	await fleet.untilTask(parked, ({ state }) => state === "parked");
	expect(fleet.leftovers()).toEqual([]);
	await fleet.run(["task", "answer", parked, "1"]);
	expect(await fleet.untilTask(parked, ({ state }) => state === "done")).toMatchObject({
		lease: 2,
		result: { summary: "Second." },
	});
	second.process.kill("SIGTERM");
	await second.finished;
}, 180_000);

test("a running task is followed, steered and joined", async () => {
	await using fleet = await launchFleet(
		{ steps: [call("bash", { command: "until test -e go; do sleep 0.05; done" }), "Steered well."] },
		quick,
	);
	const [id = ""] = await fleet.add("wait for me");
	const log = fleet.start(["task", "logs", id, "--follow"], { env: quick });
	await log.until(({ out }) => out.includes("> wait for me"));
	await fleet.run(["task", "steer", id, "use tabs"]);
	const attached = fleet.start(["task", "attach", id], { stdin: "pipe", env: quick });
	await attached.until(({ err }) => err.includes("joined session"));
	const { sessionId = "" } = (await fleet.show(id)).progress;
	const { out } = await fleet.run(["ps", "--json"]);
	const { cwd } = JSON.parse(out.split("\n").find((line) => line.includes(sessionId)) ?? "{}");
	expect(existsSync(cwd)).toBe(true);
	writeFileSync(join(cwd, "go"), "");
	expect((await log.finished).out).toContain("Steered well.");
	expect((await attached.finished).out).toContain("Steered well.");
	expect(JSON.stringify(fleet.played.requests[1]?.body)).toContain("use tabs");
}, 180_000);
