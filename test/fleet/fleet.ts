/** A home with a repository, whose tasks are done by workers of the real program. */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Scenario } from "@tau/ai/testing";

import { untilAnswer } from "../support/asked.ts";
import { launch, type Launched, type Running } from "../support/launch.ts";

export const model = ["--model", "played/played-1"];

/** A task as `tau task show --json` prints it. */
export interface ShownTask {
	id: string;
	state: string;
	lease: number;
	worker?: string;
	problem?: string;
	progress: {
		sessionId?: string;
		room?: string;
		cost: number;
		note?: string;
		questions: { text: string; choices: string[] }[];
	};
	result?: { branch?: string; commit?: string; summary: string };
}

export interface Fleet extends Launched {
	git(...args: string[]): string;
	/** Gives the ids. */
	add(...args: string[]): Promise<string[]>;
	show(id: string): Promise<ShownTask>;
	/** Waits, with a bound, until the task is as wanted. */
	untilTask(id: string, holds: (task: ShownTask) => boolean): Promise<ShownTask>;
	worker(...args: string[]): Running;
	/** Waits, with a bound. */
	until(holds: () => boolean): Promise<void>;
	/** Waits, with a bound, until the stored log of the task has the text. */
	untilLog(id: string, text: string): Promise<void>;
	/** Of the sessions that run now. */
	sessionPids(): Promise<number[]>;
	/** Directories of tasks that are there now, and what else is neither a clone nor the lock of a worker. */
	leftovers(): string[];
}

/** Its daemon ends with the test. */
export async function launchFleet(scenario: Scenario, env: Record<string, string> = {}): Promise<Fleet> {
	const tau = await launch(scenario);
	const git = (...args: string[]): string => {
		const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"];
		const { exitCode, stdout, stderr } = Bun.spawnSync(["git", ...identity, ...args], { cwd: tau.project });
		if (exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${stderr.toString()}`);
		return stdout.toString().trim();
	};
	git("init", "--quiet", "--initial-branch=main");
	writeFileSync(join(tau.project, "readme.md"), "A project.\n");
	git("add", ".");
	git("commit", "--quiet", "-m", "Start");
	const run: Launched["run"] = (args, options) =>
		tau.run(args, { ...options, env: { ...env, ...options?.env } });
	const succeed = async (args: string[]): Promise<string> => {
		const { code, out, err } = await run(args);
		if (code !== 0) throw new Error(`tau ${args.join(" ")}: ${code} ${out}${err}`);
		return out;
	};
	const show = async (id: string): Promise<ShownTask> =>
		JSON.parse(await succeed(["task", "show", id, "--json"]));
	const cache = join(tau.home, ".cache/tau-fleet");
	const work = join(cache, "work");
	const repos = join(cache, "repos");
	return {
		...tau,
		run,
		git,
		add: async (...args) => (await succeed(["task", "add", ...model, ...args])).trim().split("\n"),
		show,
		untilTask: (id, holds) => untilAnswer(() => show(id), holds),
		untilLog: async (id, text) =>
			void (await untilAnswer(
				() => succeed(["task", "logs", id]),
				(log) => log.includes(text),
			)),
		async until(holds) {
			const deadline = Date.now() + 60_000;
			while (!holds()) {
				if (Date.now() > deadline) throw new Error(`never: ${holds.toString()}`);
				await Bun.sleep(20);
			}
		},
		sessionPids: async () =>
			(await succeed(["ps", "--json"]))
				.split("\n")
				.filter(Boolean)
				.flatMap((line): number[] => JSON.parse(line).pid ?? []),
		worker: (...args) => tau.start(["worker", ...args], { env }),
		leftovers() {
			if (!existsSync(work)) return [];
			const trees = readdirSync(work).filter((name) => !name.endsWith(".lock"));
			const unfinished = readdirSync(repos).filter((name) => !name.endsWith(".git"));
			const locks = readdirSync(repos, { recursive: true }).filter((name) => String(name).endsWith(".lock"));
			return [...trees.flatMap((name) => readdirSync(join(work, name))), ...unfinished, ...locks.map(String)];
		},
		async [Symbol.asyncDispose]() {
			await run(["daemon", "stop"]);
			await tau[Symbol.asyncDispose]();
		},
	};
}

/** Waits, with a bound, until the model has got this many requests. */
export async function untilHeld({ played, until }: Fleet, requests: number): Promise<void> {
	await until(() => played.requests.length >= requests);
}
