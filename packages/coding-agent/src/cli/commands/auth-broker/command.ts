/** `tau auth-broker`: keeps credentials on one machine, and lends them to others. */
import { credentialsPath } from "@tau/config/models";
import { loadDotenv, shortenHome } from "@tau/utils";

import type { Args } from "../../args.ts";
import { exitCodes } from "../../exit-codes.ts";
import { printError } from "../../print-error.ts";
import { onInterrupt } from "../../signals.ts";
import { printErrorOf } from "../auth/store.ts";
import { jsonLine, printed } from "../sessions/output.ts";

const actions: Readonly<Record<string, (args: Args) => Promise<number>>> = {
	serve,
	token,
	login: async (args) => (await import("./login.ts")).brokerLogin(args),
	logout: async (args) => (await import("./login.ts")).brokerLogout(args),
	list: async (args) => (await import("./list.ts")).brokerList(args),
	import: async (args) => (await import("./import.ts")).brokerImport(args),
	migrate: async (args) => (await import("./migrate.ts")).brokerMigrate(args),
	status: async (args) => (await import("./status.ts")).brokerStatus(args),
};

export async function runAuthBroker(args: Args): Promise<number> {
	loadDotenv();
	try {
		return await (actions[args.operands[0] ?? "status"] ?? serve)(args);
	} catch (error) {
		return printErrorOf(error);
	}
}

/** In the foreground, until it is stopped. */
async function serve({ flags, repeated }: Args): Promise<number> {
	using interruption = onInterrupt(stopMs);
	const { BrokerServer, currentToken, localUrl, parseBind, tokenPath } = await import("@tau/gateway/broker");
	const bind = parseBind(flags.get("bind") ?? "127.0.0.1:8765");
	const path = credentialsPath();
	await using server = new BrokerServer({
		bind,
		hosts: repeated?.get("host") ?? [],
		token: currentToken(tokenPath("auth-broker")),
		path,
		env: process.env,
		onNotice: printError,
	});
	const url = localUrl({ ...bind, port: server.port });
	printError(`the auth broker lends the credentials of ${shortenHome(path)} at ${url}`);
	printError(
		"on another machine: set TAU_AUTH_BROKER_URL to its address, and TAU_AUTH_BROKER_TOKEN to what tau auth-broker token prints",
	);
	if (!bind.isLoopback)
		printError("other machines can reach it without encryption: put TLS or a private network in between");
	const { promise, resolve } = Promise.withResolvers<void>();
	interruption.signal.addEventListener("abort", () => resolve());
	if (!interruption.signal.aborted) await promise;
	return exitCodes.answered;
}

/** Longer than a renewal that has begun may take. */
const stopMs = 40_000;

async function token({ flags }: Args): Promise<number> {
	const { ensureToken, tokenPath } = await import("@tau/gateway/broker");
	const path = tokenPath("auth-broker");
	const value = ensureToken(path, { regenerate: flags.has("regenerate") });
	return printed(flags.has("json") ? jsonLine({ token: value, path }) : `${value}\n`);
}
