/** Starts the real `tau` with an empty home and, optionally, a played model. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { modelsYml, playModel, type PlayedModel, type Scenario } from "@tau/ai/testing";

import { markOfRun } from "./left-behind.ts";

export const root = join(import.meta.dir, "../..");

/** `npm test` compiles Tau once and names the executable: that `./tau` finds it up to date takes 10 ms of each start. */
export const tauProgram = process.env.TAU_TEST_PROGRAM ?? join(root, "tau");

export interface Launched extends AsyncDisposable {
	readonly home: string;
	/** The working directory of Tau. */
	readonly project: string;
	readonly played: PlayedModel;
	/** The directory with `models.yml`. */
	readonly agentDir: string;
	/** The environment of Tau. */
	readonly env: Record<string, string>;
	start(args: readonly string[], options?: StartOptions): Running;
	run(args: readonly string[], options?: StartOptions): Promise<Finished>;
}

export interface StartOptions {
	/** A text as the whole input, or a pipe that stays open. */
	stdin?: string | "ignore" | "closed" | "pipe";
	env?: Record<string, string>;
	cwd?: string;
}

export interface Running {
	readonly process: Bun.Subprocess;
	/** Standard output and error up to now. */
	output(): { out: string; err: string };
	/** Waits until the output so far satisfies the condition. */
	until(condition: (output: { out: string; err: string }) => boolean): Promise<void>;
	finished: Promise<Finished>;
}

export interface Finished {
	code: number;
	out: string;
	err: string;
}

export interface LaunchPlace {
	/** The directory of home and project. */
	parent?: string;
	/** The command line that is Tau. */
	program?: readonly string[];
}

export async function launch(
	scenario: Scenario,
	api: "anthropic-messages" | "openai-completions" = "anthropic-messages",
	{ parent = tmpdir(), program = [tauProgram] }: LaunchPlace = {},
): Promise<Launched> {
	const played = await playModel(scenario);
	const base = mkdtempSync(join(parent, "tau-e2e-"));
	const [home, project] = [join(base, "home"), join(base, "project")];
	const agentDir = join(home, ".tau/agent");
	mkdirSync(agentDir, { recursive: true });
	mkdirSync(project);
	writeFileSync(join(agentDir, "models.yml"), modelsYml(played, { api }));
	const start = (args: readonly string[], options: StartOptions = {}): Running =>
		startTau([...program, ...args], { cwd: project, ...options, env: { ...cleanEnv(home), ...options.env } });
	return {
		home,
		project,
		played,
		agentDir,
		env: cleanEnv(home),
		start,
		run: (args, options) => start(args, options).finished,
		async [Symbol.asyncDispose]() {
			await played.close();
			rmSync(base, { recursive: true, force: true });
		},
	};
}

/** A test of a failure expects the failure, and does not wait for retries. */
export function withoutRetries(tau: Launched): void {
	writeFileSync(join(tau.agentDir, "config.yml"), "retry:\n  enabled: false\n");
}

/**
 * What runs without asking must not depend on the machine; tests of approvals choose their own. With TAU_TEST_SANDBOX=1 all
 * commands run in the sandbox of the machine instead: tests that look at processes or Unix sockets fail then.
 */
export const fixedBoundary = process.env.TAU_TEST_SANDBOX
	? { TAU_CONTAINER: "none", TAU_SANDBOX: "required" }
	: { TAU_CONTAINER: "test", TAU_SANDBOX: "off" };

/** Results must not depend on the keys, settings or local servers of the user who runs the tests. */
export function cleanEnv(home: string): Record<string, string> {
	const nobody = "http://127.0.0.1:9";
	return {
		PATH: process.env.PATH ?? "",
		HOME: home,
		LANG: "C.UTF-8",
		TERM: "xterm-256color",
		// A title is a request that scripts do not expect; the test of titles removes this variable.
		TAU_NO_TITLE: "1",
		// Longer than a busy machine takes for what a test does next with a session that is idle.
		TAU_DAEMON_PARK_MS: "60000",
		// Without most samples of hooks, which take two thirds of the CPU time of `git init`.
		GIT_TEMPLATE_DIR: join(import.meta.dir, "git-template"),
		...markOfRun(),
		...fixedBoundary,
		OLLAMA_BASE_URL: nobody,
		LM_STUDIO_BASE_URL: nobody,
		LLAMA_CPP_BASE_URL: nobody,
	};
}

function inputOf(stdin: StartOptions["stdin"]): "ignore" | "pipe" | null | Blob {
	if (stdin === undefined || stdin === "ignore") return "ignore";
	if (stdin === "pipe") return "pipe";
	return stdin === "closed" ? null : new Blob([stdin]);
}

function startTau(command: readonly string[], { stdin, env, cwd }: StartOptions): Running {
	const child = Bun.spawn([...command], {
		cwd: cwd ?? root,
		env: env ?? {},
		stdin: inputOf(stdin),
		stdout: "pipe",
		stderr: "pipe",
	});
	const output = { out: "", err: "" };
	let changed = Promise.withResolvers<void>();
	const collect = async (name: "out" | "err", stream: ReadableStream<Uint8Array>): Promise<void> => {
		const decoder = new TextDecoder();
		for await (const chunk of stream) {
			output[name] += decoder.decode(chunk, { stream: true });
			changed.resolve();
			changed = Promise.withResolvers<void>();
		}
	};
	const ended = Promise.all([collect("out", child.stdout), collect("err", child.stderr), child.exited]);
	const finished = ended.then(([, , code]) => ({ code, ...output }));
	return {
		process: child,
		output: () => ({ ...output }),
		finished,
		async until(condition) {
			while (!condition(output)) {
				const over = await Promise.race([changed.promise.then(() => false), finished.then(() => true)]);
				if (over && !condition(output)) throw new Error(`tau ended before: ${JSON.stringify(output)}`);
			}
		},
	};
}
