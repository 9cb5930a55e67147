/** A real broker beside real clients: `tau auth-broker serve` in a home of its own. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { Scenario } from "@tau/ai/testing";

import { launch, type Finished, type Launched, type Running } from "../support/launch.ts";

export interface TestBroker extends AsyncDisposable {
	/** The machine of the broker. */
	readonly tau: Launched;
	readonly url: string;
	readonly token: string;
	/** What a client on another machine sets. */
	readonly clientEnv: Record<string, string>;
	/** `kill -9`. */
	kill(): Promise<void>;
	/** `SIGTERM`. */
	stop(): Promise<Finished>;
	/** At the same address. */
	start(env?: Record<string, string>): Promise<void>;
	ask(path: string, init?: RequestInit): Promise<Response>;
}

export interface BrokerSetup {
	/** Of the broker. */
	env?: Record<string, string>;
	/** Run on its machine before it serves. */
	before?(tau: Launched): Promise<unknown>;
}

export async function serveBroker({ env = {}, before }: BrokerSetup = {}): Promise<TestBroker> {
	const tau = await launch({ steps: [] });
	await before?.(tau);
	let running: Running | undefined;
	let bind = "127.0.0.1:0";
	const start = async (more: Record<string, string> = {}): Promise<void> => {
		running = tau.start(["auth-broker", "serve", "--bind", bind], { env: { ...env, ...more } });
		await running.until(({ err }) => /TAU_AUTH_BROKER_TOKEN/.test(err));
		bind = new URL(/ at (http:\S+)$/m.exec(running.output().err)?.[1] ?? "").host;
	};
	await start();
	const token = readFileSync(join(tau.home, ".tau/auth-broker.token"), "utf8").trim();
	const url = `http://${bind}`;
	return {
		tau,
		url,
		token,
		clientEnv: { TAU_AUTH_BROKER_URL: url, TAU_AUTH_BROKER_TOKEN: token },
		async kill() {
			running?.process.kill("SIGKILL");
			await running?.finished;
		},
		async stop() {
			running?.process.kill("SIGTERM");
			return (await running?.finished) ?? { code: -1, out: "", err: "" };
		},
		start,
		ask: (path, init = {}) =>
			fetch(url + path, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } }),
		async [Symbol.asyncDispose]() {
			running?.process.kill("SIGKILL");
			await running?.finished;
			await tau[Symbol.asyncDispose]();
		},
	};
}

/** A machine without credentials of its own, whose Anthropic is the played model. */
export async function client(
	scenario: Scenario = { steps: [], fallback: { answer: "hello" } },
): Promise<Launched> {
	return launch(scenario);
}

/** Asks the played Anthropic with a borrowed credential. */
export function askAnthropic(tau: Launched, env: Record<string, string>, prompt = "hi"): Promise<Finished> {
	return tau.run(["-p", prompt, "--model", "anthropic/claude-haiku-4-5", "--no-session"], {
		env: { ...env, ANTHROPIC_BASE_URL: tau.played.anthropicUrl },
	});
}

/** As the user of that machine does. */
export function storeKey(tau: Launched, key: string): Promise<Finished> {
	return tau.run(["login", "anthropic", "--api-key"], { stdin: `${key}\n` });
}
