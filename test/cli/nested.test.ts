/** Tau beside and inside Tau: after a kill, while another one is suspended, and as a command of the model. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { openTau } from "../interactive/driver.ts";
import { launch, root } from "../support/launch.ts";

const model = ["--model", "played/played-1"];
const bash = (command: string) => ({
	answer: { blocks: [{ toolCall: { name: "bash", arguments: { command } } }] },
});
const inner = `'${join(root, "tau")}' -p 'from the inside' ${model.join(" ")}`;

test("after kill -9 a --session-id is free at once, whenever the kill came", async () => {
	await using tau = await launch({
		steps: [
			{ fault: { silent: true }, times: 3 },
			{ answer: "Again.", times: "always" },
		],
	});
	for (const requests of [1, 2, 3]) {
		const killed = tau.start(["-p", "one", "--session-id", "nightly", ...model]);
		await tau.played.waitForRequest(requests);
		killed.process.kill("SIGKILL");
		await killed.finished;
	}
	for (const ms of [0, 15, 30, 60]) {
		const killed = tau.start(["-p", "one", "--session-id", "nightly", ...model]);
		// A random moment, and no condition: some kills come before the session is claimed, some after.
		await Bun.sleep(ms);
		killed.process.kill("SIGKILL");
		await killed.finished;
		const next = await tau.run(["-p", "two", "--session-id", "nightly", ...model]);
		expect(next).toMatchObject({ code: 0, out: "Again.\n", err: "" });
	}
});

test("a suspended Tau keeps its session, others are told that it is suspended, and fg brings its screen back", async () => {
	await using home = await launch({ steps: ["First.", "Copied.", "Second."] });
	await using tau = await openTau({ steps: [] }, { home, args: ["--session-id", "mine"] });
	await tau.until("played-1");
	tau.type("one\r");
	await tau.until("First.");
	tau.type("a draft");
	await tau.until("a draft");
	tau.press("ctrlZ");
	const stat = (): string => readFileSync(`/proc/${tau.pid}/stat`, "utf8").replace(/^.*\) /, "");
	await tau.untilFiles(() => stat().startsWith("T"));
	for (const flags of [["--session-id", "mine"], ["-c"], ["--session", "mine"]]) {
		const other = await home.run(["-p", "two", ...flags, ...model]);
		expect(other.code).toBe(2);
		expect(other.err).toContain(`process ${tau.pid} on `);
		expect(other.err).toContain("(suspended; fg in its terminal continues it)");
		expect(other.err).toContain("--fork mine");
	}
	expect(await home.run(["-p", "two", "--fork", "mine", ...model])).toMatchObject({
		code: 0,
		out: "Copied.\n",
	});
	const isOurs = (): boolean => tau.bytes.lastIndexOf("\x1b[?2004h") > tau.bytes.lastIndexOf("\x1b[?2004l");
	await tau.untilFiles(() => !isOurs());
	tau.kill("SIGCONT");
	await tau.untilFiles(isOurs);
	await tau.untilDrawn(() => /First\.[^❯]*\n a draft/.test(tau.screen()), "drew its screen");
	tau.press("enter");
	await tau.until("Second.");
	expect(home.played.requests[2]?.rawBody).toMatch(/one.*First\..*a draft/);
	expect(home.played.requests[2]?.rawBody).not.toContain("two");
});

test("a command of the model can run Tau, whose answer is its output", async () => {
	await using tau = await launch({ steps: [bash(`${inner}; echo "exit $?"`), "From inside.", "Done."] });
	expect(await tau.run(["-p", "go", ...model])).toMatchObject({ code: 0, out: "Done.\n", err: "" });
	const [, inside, last] = tau.played.requests;
	expect(inside?.rawBody).toContain("from the inside");
	expect(inside?.rawBody).not.toContain('"go"');
	expect(last?.rawBody).toMatch(/From inside\.\\nexit 0/);
});

test("Escape ends a Tau inside Tau with everything that it runs", async () => {
	await using tau = await openTau({
		// The inner Tau may still ask once when its command has ended before it.
		steps: [bash(`${inner}; echo never`), bash("echo $$ > pid; sleep 300"), "Stopped.", "Stopped."],
	});
	await tau.until("played-1");
	tau.type("go\r");
	const file = join(tau.home.project, "pid");
	const pid = (): string => {
		try {
			return readFileSync(file, "utf8").trim();
		} catch {
			// It has not run yet.
			return "";
		}
	};
	await tau.untilFiles(() => pid() !== "");
	process.kill(Number(pid()), 0);
	tau.press("escape");
	await tau.until("interrupted by the user");
	await tau.untilFiles(() => {
		try {
			process.kill(Number(pid()), 0);
			return false;
		} catch {
			return true;
		}
	});
	tau.type("and now?\r");
	await tau.until("Stopped.");
});
