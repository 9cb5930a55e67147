/** Prompts at given times, run by the real daemon. */
import { expect, test } from "bun:test";
import {
	existsSync,
	mkdirSync,
	readFileSync,
	rmdirSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { launchLocal, model, ps } from "./local.ts";
import { untilAnswer } from "../support/asked.ts";
import type { Launched } from "../support/launch.ts";

interface Listed {
	id: number;
	when: string;
	cwd: string;
	argv: string[];
	next: string;
	runs: { at: string; sessionId?: string; state: string; reason?: string }[];
}

async function show(tau: Launched, id: number): Promise<Listed> {
	const { out, err } = await tau.run(["schedule", "show", String(id), "--json"]);
	if (out === "") throw new Error(err);
	return JSON.parse(out);
}

/** Waits, with a bound, for a state of a schedule. */
async function untilShown(tau: Launched, id: number, holds: (schedule: Listed) => boolean): Promise<Listed> {
	return await untilAnswer(() => show(tau, id), holds);
}

const file = (tau: Launched): string => join(tau.home, ".tau/agent/schedules.json");

/** As if the machine had slept for days. */
function oversleep(tau: Launched): void {
	const content = JSON.parse(readFileSync(file(tau), "utf8"));
	for (const each of content.schedules)
		for (const time of ["createdAt", "doneUntil"]) each[time] -= 3 * 86_400_000;
	writeFileSync(file(tau), JSON.stringify(content));
}

test("a schedule runs as a session of its own, is listed with its outcome, and runs once after days asleep", async () => {
	await using tau = await launchLocal({ steps: ["The CI is green.", "Still green."] });
	const added = await tau.run([
		"schedule",
		"add",
		"every 2h",
		"check the CI",
		...model,
		"--approval-mode",
		"auto",
	]);
	expect(added).toMatchObject({ code: 0, err: "" });
	expect(added.out).toContain("1  every 2h · next ");
	expect(statSync(file(tau)).mode & 0o777).toBe(0o600);
	expect((await tau.run(["daemon", "status"])).code).toBe(0);

	const started = await tau.run(["schedule", "run", "1"]);
	expect(`${started.err}${started.out}`).toMatch(/^Runs as \S+\. Look: tau attach \S+/);
	const first = await untilShown(tau, 1, ({ runs }) => runs[0]?.state === "answered");
	expect(first).toMatchObject({ when: "every 2h", cwd: tau.project });
	expect(first.argv).toEqual(["--model=played/played-1", "--approval-mode=auto"]);
	const [row] = await ps(tau);
	expect(row).toMatchObject({ title: "check the CI", sessionId: first.runs[0]?.sessionId, detached: true });

	// The session is idle, and is closed before the next run.
	await tau.run(["daemon", "stop"]);
	expect((await tau.run(["schedule", "list"])).out).toContain("The daemon does not run: 1 schedule wait");
	oversleep(tau);
	const daemon = tau.start(["daemon", "run"]);
	const second = await untilShown(tau, 1, ({ runs }) => runs[1]?.state === "answered");
	expect(second.runs.map(({ state }) => state)).toEqual(["answered", "answered"]);
	expect(new Date(second.next).getTime()).toBeGreaterThan(Date.now());
	expect((await tau.run(["schedule", "rm", "1"])).out).toContain("Removed schedule 1");
	expect((await tau.run(["schedule"])).out).toContain("No schedules.");
	expect(daemon.process.exitCode).toBeNull();
});

test("a run that waits for an answer is named, holds back the next one, and failures say why", async () => {
	await using tau = await launchLocal({
		steps: [
			{
				answer: { blocks: [{ toolCall: { name: "bash", arguments: { command: "node -e 1; touch made" } } }] },
			},
			"Done.",
		],
	});
	await tau.run(["schedule", "add", "0 9 * * 1-5", "make", "it", ...model, "--approval-mode", "ask"]);
	await tau.run(["schedule", "run", "1"]);
	await untilShown(tau, 1, ({ runs }) => runs[0]?.state === "waiting for you");
	const again = await tau.run(["schedule", "run", "1"]);
	expect(again).toMatchObject({ code: 2, out: "" });
	expect(again.err).toContain("its last run still works");
	expect(existsSync(join(tau.project, "made"))).toBe(false);

	await tau.run(["schedule", "add", "@daily", "never", "--model", "played/nosuch"]);
	const failed = await tau.run(["schedule", "run", "2"]);
	expect(failed.err).toContain("nosuch");
	expect((await show(tau, 2)).runs).toMatchObject([{ state: "failed" }]);
});

test("bad times, numbers and actions are refused, and a service unit is printed", async () => {
	await using tau = await launchLocal({ steps: [] });
	expect((await tau.run(["schedule", "add", "99 * * * *", "x"])).err).toContain('"99" is not a minute');
	expect((await tau.run(["schedule", "add", "every 2h"])).err).toContain("needs a time and a prompt");
	expect((await tau.run(["schedule", "rm", "7"])).err).toContain("There is no schedule 7");
	expect((await tau.run(["daemon", "status"])).code).toBe(1);
	const unit = await tau.run(["daemon", "unit"]);
	expect(unit.out).toMatch(/ExecStart=".+" daemon run/);
});

test("a schedule does not run where a link has taken the place of its directory", async () => {
	await using tau = await launchLocal({ steps: [] });
	const cwd = join(tau.project, "sub");
	mkdirSync(cwd);
	await tau.run(["schedule", "add", "every 2h", "look", "--cwd", cwd, ...model]);
	// As a command of a session in the directory above can: home would be the project of the next run.
	rmdirSync(cwd);
	symlinkSync(tau.home, cwd);
	const started = await tau.run(["schedule", "run", "1"]);
	expect(started.err).toContain("leads elsewhere now: a part of it was replaced by a link");
	expect(tau.played.requests).toEqual([]);
});
