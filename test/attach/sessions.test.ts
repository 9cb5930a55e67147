/** Sessions that outlive their terminal: started in the background, joined, left, and resumed after a kill. */
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { startRelay } from "@tau/relay";

import { untilAnswer } from "../support/asked.ts";
import { untilEnded } from "../support/processes.ts";
import { attach, detach, launchLocal, model, ps, psAll, runtimeFiles, untilRow } from "./local.ts";

const bash = (command: string) => ({
	answer: { blocks: [{ toolCall: { name: "bash", arguments: { command } } }] },
});

test("a prompt in the background is answered, and whoever joins continues it", async () => {
	await using tau = await launchLocal({ steps: ["Hello from afar.", "And again."] });
	const id = await detach(tau, "say hello");
	await using client = attach(tau, id);
	await client.until("Hello from afar.");
	client.send("once more");
	await client.until("And again.");
	expect(await client.leave()).toBe(0);
	expect(client.running.output().out).toContain("> say hello");
	// Leaving stops nothing.
	const row = await untilRow(tau, ({ clients, phase }) => clients === 0 && phase === "idle");
	expect(row).toMatchObject({ title: "say hello", detached: true, answers: true, cwd: tau.project });
});

test("both clients see an answer, and either may send, stop and answer a question", async () => {
	await using tau = await launchLocal({
		steps: [
			"One for both.",
			bash("node -e 1; touch made"),
			"Made it.",
			{ answer: { blocks: [{ text: "never ends".repeat(50), chunks: 50 }] }, fault: { silent: true } },
		],
	});
	const id = await detach(tau, "hello", "--approval-mode", "ask");
	await using one = attach(tau, id);
	await using two = attach(tau, id);
	for (const each of [one, two]) await each.until("One for both.");
	one.send("make it");
	for (const each of [one, two]) await each.until("? Allow bash?");
	two.send("1");
	for (const each of [one, two]) await each.until("Made it.");
	expect(one.running.output().out).toContain("(answered)");
	expect(readFileSync(join(tau.project, "made"), "utf8")).toBe("");
	for (const each of [one, two]) each.mark();
	two.send("go on for long");
	await untilRow(tau, ({ phase }) => phase === "running");
	await one.until("> go on for long");
	one.send("\u001b");
	for (const each of [one, two]) await each.until("(done)");
	await untilRow(tau, ({ phase }) => phase === "idle");
});

test("a question waits for the first client that comes", async () => {
	await using tau = await launchLocal({ steps: [bash("node -e 1; touch made"), "Made it."] });
	const id = await detach(tau, "make it", "--approval-mode", "ask");
	await untilRow(tau, ({ waiting }) => waiting === 1);
	await using client = attach(tau, id);
	await client.until("? Allow bash?");
	client.send("1");
	await client.until("Made it.");
});

test("a client that is stopped or killed does not hold the run", async () => {
	await using tau = await launchLocal({
		steps: ["Ready.", { answer: { blocks: [{ text: "x".repeat(2_000_000), chunks: 200 }] } }, "After."],
	});
	const id = await detach(tau, "hello");
	await using stopped = attach(tau, id);
	await using killed = attach(tau, id);
	await using client = attach(tau, id);
	for (const each of [stopped, killed, client]) await each.until("Ready.");
	stopped.running.process.kill("SIGSTOP");
	killed.running.process.kill("SIGKILL");
	client.send("much");
	await client.until("xxx");
	await untilRow(tau, ({ phase, clients }) => phase === "idle" && clients === 2);
	client.send("and now");
	await client.until("After.");
	stopped.running.process.kill("SIGCONT");
	await stopped.until("After.");
});

test("a session whose process was killed is resumed from its log", async () => {
	await using tau = await launchLocal({ steps: ["Before the kill.", "After the kill."] });
	const id = await detach(tau, "hello");
	const { pid } = await untilRow(tau, ({ phase }) => phase === "idle");
	process.kill(pid, "SIGKILL");
	await untilEnded(pid);
	expect(await psAll(tau)).toMatchObject([{ pid: null, title: "hello" }]);
	await using client = attach(tau, id);
	await client.until("was not running and is open again");
	await client.until("Before the kill.");
	client.send("go on");
	await client.until("After the kill.");
});

test("sessions survive a daemon that was killed, and the next one stops them too", async () => {
	await using tau = await launchLocal({ steps: ["First.", "Second.", "Third."] });
	const id = await detach(tau, "hello");
	const status = JSON.parse((await tau.run(["daemon", "status", "--json"])).out);
	process.kill(status.pid, "SIGKILL");
	await untilEnded(status.pid);
	expect((await tau.run(["daemon", "status"])).code).toBe(1);
	await using client = attach(tau, id);
	await client.until("First.");
	client.send("go on");
	await client.until("Second.");
	await detach(tau, "another");
	expect(await ps(tau)).toHaveLength(2);
	const stopped = await tau.run(["daemon", "stop"]);
	expect(stopped.out).toContain("2 sessions");
	expect(await ps(tau)).toEqual([]);
	expect((await client.running.finished).err).toContain("The session has ended.");
});

test("tau ps starts a daemon that was killed again while its sessions run, and none where nothing is detached", async () => {
	await using tau = await launchLocal({ steps: ["First."] });
	expect(await ps(tau)).toEqual([]);
	expect((await tau.run(["daemon", "status"])).code).toBe(1);
	const id = await detach(tau, "hello");
	const { pid } = JSON.parse((await tau.run(["daemon", "status", "--json"])).out);
	process.kill(pid, "SIGKILL");
	await untilEnded(pid);
	expect((await ps(tau)).map(({ sessionId }) => sessionId.startsWith(id))).toEqual([true]);
	await untilAnswer(
		() => tau.run(["daemon", "status"]),
		({ code }) => code === 0,
	);
	expect((await tau.run(["daemon", "stop"])).out).toContain("1 session");
});

test("the environment and the directory of the terminal are those of the session", async () => {
	await using tau = await launchLocal({ steps: [bash('echo "$MINE in $PWD"'), "Ran."] });
	const { out } = await tau.run([...model, "--approval-mode", "full", "--detach", "run it"], {
		env: { MINE: "yours" },
	});
	const [, id = ""] = /tau attach (\S+)/.exec(out) ?? [];
	await using client = attach(tau, id);
	await client.until("Ran.");
	expect(tau.played.requests.at(-1)?.rawBody).toContain(`yours in ${tau.project}`);
});

test("several prompts, a file and a large environment reach a session in the background", async () => {
	await using tau = await launchLocal({ steps: ["One.", "Two."] });
	writeFileSync(join(tau.project, "notes.md"), "remember the milk");
	const env = { LARGE: "x".repeat(100_000) };
	const { out } = await tau.run([...model, "--detach", "@notes.md", "read it"], { env });
	const [, id = ""] = /tau attach (\S+)/.exec(out) ?? [];
	await using client = attach(tau, id);
	await client.until("One.");
	expect(tau.played.requests[0]?.rawBody).toContain("remember the milk");
	await untilRow(tau, ({ phase }) => phase === "idle");
});

test("a session that cannot be opened is reported where it was asked for", async () => {
	await using tau = await launchLocal({ steps: [] });
	const unknown = await tau.run(["--model", "nowhere/none", "--detach", "hello"]);
	expect(unknown).toMatchObject({ code: 2 });
	expect(unknown.err).toContain("nowhere");
	expect((await tau.run([...model, "--detach"])).err).toContain("--detach needs a prompt");
	expect((await tau.run(["attach", "0123"])).err).toContain('Session "0123" not found');
	expect((await tau.run(["attach"])).err).toContain("No sessions run here.");
});

test("a session that has nothing to do is closed, and the daemon after it; attach opens it again", async () => {
	await using tau = await launchLocal({ steps: ["Hello.", "Again."] });
	const env = { TAU_DAEMON_PARK_MS: "300", TAU_DAEMON_IDLE_MS: "300" };
	const { out } = await tau.run([...model, "--detach", "hello"], { env });
	const [, id = ""] = /tau attach (\S+)/.exec(out) ?? [];
	const status = JSON.parse((await tau.run(["daemon", "status", "--json"])).out);
	if (status.pid !== undefined) await untilEnded(status.pid);
	expect(await psAll(tau)).toMatchObject([{ pid: null, phase: "closed", title: "hello", detached: true }]);
	expect(id).not.toBe("");
	await using client = attach(tau);
	await client.until("Hello.");
	client.send("more");
	await client.until("Again.");
	expect((await tau.run(["daemon", "stop", id])).out).toContain("Stopped the session.");
	expect(await psAll(tau)).toEqual([]);
});

test("a session that is closed just when somebody joins it is opened again", async () => {
	await using tau = await launchLocal({ steps: ["Hello."] });
	const id = await detach(tau, "hello");
	const { pid } = await untilRow(tau, ({ phase }) => phase === "idle");
	const socket = runtimeFiles(tau).find((name) => name.startsWith(`${pid}-`) && name.endsWith(".sock")) ?? "";
	const connections = (): number => readFileSync("/proc/net/unix", "utf8").split(`/${socket}\n`).length - 1;
	const before = connections();
	process.kill(pid, "SIGSTOP");
	await using client = attach(tau, id);
	// It waits to be let in, and the session ends before.
	for (let look = 0; connections() === before && look < 500; look++) await Bun.sleep(10);
	process.kill(pid, "SIGTERM");
	process.kill(pid, "SIGCONT");
	await client.until("was not running and is open again");
	await client.until("Hello.");
});

test("a session whose interpreter has variables is not closed with them", async () => {
	const cell = (code: string) => ({
		answer: { blocks: [{ toolCall: { name: "eval", arguments: { language: "js", code } } }] },
	});
	await using tau = await launchLocal({ steps: [cell("kept = 41"), "Kept.", cell("kept + 1"), "Done."] });
	await tau.run([...model, "--detach", "keep it"], { env: { TAU_DAEMON_PARK_MS: "1" } });
	const { pid } = await untilRow(tau, ({ phase }) => phase === "idle");
	// A session without such a state is closed sooner than it is listed again.
	expect(await ps(tau)).toMatchObject([{ pid }]);
	await using client = attach(tau);
	await client.until("Kept.");
	client.send("go on");
	await client.until("Done.");
	expect(tau.played.requests.at(-1)?.rawBody).toContain("42");
});

test("a session that is shared stays open for its guests when its last terminal has left", async () => {
	await using relay = await startRelay({ bind: "127.0.0.1:0" });
	await using tau = await launchLocal({ steps: ["Hello."] });
	const env = { TAU_DAEMON_PARK_MS: "300" };
	const { out } = await tau.run([...model, "--detach", "hello"], { env });
	const [, id = ""] = /tau attach (\S+)/.exec(out) ?? [];
	const start: typeof tau.start = (args, options) => tau.start(args, { ...options, env });
	await using client = attach({ ...tau, start }, id);
	await client.until("Hello.");
	client.send(`/collab ${relay.url.replace("http", "ws")}`);
	await client.until("tau join");
	expect(await client.leave()).toBe(0);
	for (let look = 0; look < 3; look++) expect(await ps(tau)).toHaveLength(1);
});
