/** `tau auth-gateway`: serves this user's models to other programs, and manages who may use them. */
import {
	currentToken,
	ensureToken,
	Gateway,
	gatewayBind,
	localUrl,
	parseBind,
	ledgerPath,
	readToken,
	RedisLedger,
	SqliteLedger,
	tokenPath,
	type EndedAnswer,
	type Ledger,
} from "@tau/gateway";
import { usageDirectory, UsageLines, type AnswerUsage } from "@tau/stats/lines";
import { dirs, shortenHome, UsageError } from "@tau/utils";

import type { Args } from "../../args.ts";
import { exitCodes } from "../../exit-codes.ts";
import { printError } from "../../print-error.ts";
import { onInterrupt } from "../../signals.ts";
import { isJson, jsonLine, printed } from "../sessions/output.ts";
import { runKeys } from "./keys.ts";
import { openUpstream } from "./upstream.ts";

/** How long a look at a gateway may take. */
const statusMs = 3_000;

export async function runGateway(args: Args): Promise<number> {
	const [action = "status", ...operands] = args.operands;
	switch (action) {
		case "serve":
			return await serve(args);
		case "token":
			return await showToken(args);
		case "check":
			return await check(args);
		case "env":
			return await printed(environmentFor(operands[0] ?? "", urlOf(args), tokenOf(args)));
		case "key":
			return await runKeys(args, operands, await openLedger(args));
		default:
			return await status(args);
	}
}

/** In the foreground, until it is stopped. */
async function serve(args: Args): Promise<number> {
	using interruption = onInterrupt();
	const bind = parseBind(args.flags.get("bind") ?? gatewayBind);
	const isOpen = args.flags.has("no-auth");
	if (isOpen && !bind.isLoopback)
		throw new UsageError("--no-auth is for addresses of this machine only, such as 127.0.0.1.");
	// The executable compiles late, which is right for a session; a server calls the same functions all day.
	Bun.unsafe.setJITPolicy(1);
	const path = tokenPath("auth-gateway");
	// Once: finding the directories takes 20 µs, at every answer.
	const { config, data } = dirs();
	using usage = new UsageLines(usageDirectory(data));
	using upstream = await openUpstream(args);
	await using ledger = await openLedger(args);
	await using gateway = new Gateway({
		bind,
		upstream,
		ledger,
		hosts: args.repeated?.get("host") ?? [],
		origins: (args.repeated?.get("origin") ?? []).map(originOf),
		...(isOpen ? {} : { token: currentToken(path) }),
		onAnswer: (answer) => usage.collect(usageOf(answer, config)),
	});
	const access = isOpen ? "without a token" : `with the token of ${shortenHome(path)}`;
	printError(`the gateway serves ${upstream.models().length} models at ${localUrl(gateway.bind)}, ${access}`);
	await new Promise((resolve) => {
		interruption.signal.addEventListener("abort", resolve, { once: true });
	});
	return interruption.exitCode ?? exitCodes.answered;
}

/** Compared letter by letter with what browsers send: another form would never match. Throws a `UsageError`. */
function originOf(text: string): string {
	if (URL.canParse(text) && new URL(text).origin === text) return text;
	throw new UsageError(`--origin ${text}: write it without a path, such as https://page.example.`);
}

/** All answers to one key count as one session. */
function usageOf(
	{ model, usage, failure, firstMs, account, isSubscription }: EndedAnswer,
	cwd: string,
): AnswerUsage {
	return {
		at: Date.now(),
		session: `gateway-${account}`,
		cwd,
		kind: "gateway",
		provider: model.provider,
		model: model.id,
		usage,
		ttftMs: Math.round(firstMs),
		...(failure ? { failure: failure.kind } : {}),
		isSubscription,
	};
}

async function openLedger(args: Args): Promise<Ledger> {
	const redis = args.flags.get("redis");
	if (redis === undefined) return new SqliteLedger(ledgerPath());
	if (!/^rediss?:\/\//.test(redis))
		throw new UsageError("--redis: write redis://host:port or rediss://host:port.");
	return new RedisLedger(redis);
}

async function showToken(args: Args): Promise<number> {
	const path = tokenPath("auth-gateway");
	const token = ensureToken(path, { regenerate: args.flags.has("regenerate") });
	return await printed(wantsJson(args) ? jsonLine({ token, path }) : `${token}\n`);
}

async function status(args: Args): Promise<number> {
	const url = urlOf(args);
	const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(statusMs) }).catch(
		() => undefined,
	);
	const isRunning = answer?.ok === true;
	const path = tokenPath("auth-gateway");
	const hasToken = readToken(path) !== undefined;
	if (wantsJson(args)) await printed(jsonLine({ running: isRunning, url, token: hasToken }));
	else
		await printed(
			isRunning
				? `The gateway answers at ${url}.\n`
				: `No gateway answers at ${url}. tau auth-gateway serve starts it.\n`,
		);
	return isRunning ? exitCodes.answered : exitCodes.failed;
}

/** Which credentials the providers accept, without a gateway in between. */
async function check(args: Args): Promise<number> {
	using interruption = onInterrupt();
	using upstream = await openUpstream(args);
	const states = await upstream.check(interruption.signal);
	for (const state of states) {
		const { provider, account, ok, note } = state;
		const who = account === undefined ? provider : `${provider} (${account})`;
		const line = `${ok ? "ok  " : "fail"} ${who}${note === undefined ? "" : `: ${note}`}\n`;
		await printed(wantsJson(args) ? jsonLine({ ...state }) : line);
	}
	if (states.length === 0 && !wantsJson(args))
		await printed("There are no credentials. tau login adds one.\n");
	const isBad = states.length === 0 || states.some(({ ok }) => !ok);
	return args.flags.has("strict") && isBad ? exitCodes.failed : exitCodes.answered;
}

function urlOf(args: Args): string {
	return localUrl(parseBind(args.flags.get("bind") ?? gatewayBind));
}

function tokenOf(args: Args): string {
	return args.flags.has("no-auth") ? "none" : ensureToken(tokenPath("auth-gateway"));
}

function wantsJson(args: Args): boolean {
	return isJson(args) || args.flags.has("json");
}

/** The variables that point a program to the gateway, as lines for a shell. */
type Lines = (url: string, token: string) => readonly string[];

const programs: Readonly<Record<string, Lines>> = {
	claude: (url, token) => [`export ANTHROPIC_BASE_URL=${url}`, `export ANTHROPIC_AUTH_TOKEN=${token}`],
	openai: (url, token) => [`export OPENAI_BASE_URL=${url}/v1`, `export OPENAI_API_KEY=${token}`],
	gemini: (url, token) => [`export GOOGLE_GEMINI_BASE_URL=${url}`, `export GEMINI_API_KEY=${token}`],
	// It reads its provider from a file or from flags only; the key comes from the variable that they name.
	codex: (url, token) => [
		`export TAU_GATEWAY_TOKEN=${token}`,
		`codex() { command codex -c model_provider=tau -c model_providers.tau.name=Tau -c model_providers.tau.base_url=${url}/v1 -c model_providers.tau.env_key=TAU_GATEWAY_TOKEN -c model_providers.tau.wire_api=responses "$@"; }`,
	],
};

/** Throws a `UsageError` that lists the programs. */
function environmentFor(program: string, url: string, token: string): string {
	const lines = Object.hasOwn(programs, program) ? programs[program] : undefined;
	if (!lines) throw new UsageError(`tau auth-gateway env: name one of ${Object.keys(programs).join(", ")}.`);
	return `${lines(url, token).join("\n")}\n`;
}
