/** `tau auth-broker login` and `logout`: change the credentials of this machine, or those of another by ssh. */
import { findFlow } from "@tau/ai/broker";
import { hostProgram, UsageError } from "@tau/utils";

import type { Args } from "../../args.ts";
import { exitCodes } from "../../exit-codes.ts";
import { printError } from "../../print-error.ts";
import { logInTo } from "../auth/login.ts";
import { logOutOf } from "../auth/logout.ts";
import { printed } from "../sessions/output.ts";
import { openOwnCredentials } from "../auth/store.ts";

export async function brokerLogin(args: Args): Promise<number> {
	const { operands, flags } = args;
	const via = flags.get("via");
	if (via !== undefined) return logInVia(via, operands[1], flags.has("dry-run"));
	return logInTo(args, operands[1], openOwnCredentials);
}

export function brokerLogout(args: Args): Promise<number> {
	return logOutOf(args, args.operands[1], openOwnCredentials);
}

/** The browser of this machine returns to a port of this machine, which ssh forwards to the login on the other. */
async function logInVia(target: string, provider: string | undefined, isDryRun: boolean): Promise<number> {
	if (provider === undefined || !/^[\w.-]+$/.test(provider))
		throw new UsageError("Usage: tau auth-broker login <provider> --via user@host");
	if (!/^[^\s-]\S*$/.test(target)) throw new UsageError(`--via ${target}: not a host for ssh.`);
	const grant = findFlow(provider, process.env)?.grant;
	const redirect = grant?.kind === "authorization_code" ? grant.redirect : undefined;
	const port = redirect && (redirect.port ?? freePort());
	// A login that leaves the port open there has to use the one that is forwarded from here.
	const isOpen = port !== undefined && redirect?.port === undefined;
	const setting = isOpen ? ["env", `TAU_OAUTH_CALLBACK_PORT=${port}`] : [];
	const remote = [...setting, "tau", "auth-broker", "login", provider];
	const words = [
		"ssh",
		"-t",
		...(port === undefined ? [] : ["-o", "ExitOnForwardFailure=yes", "-L", `${port}:127.0.0.1:${port}`]),
		"--",
		target,
		...remote,
	];
	if (isDryRun) return printed(`${words.join(" ")}\n`);
	const program = hostProgram("ssh");
	if (program === undefined) throw new UsageError("ssh binary not found in PATH");
	const child = Bun.spawn([program, ...words.slice(1)], { stdio: ["inherit", "inherit", "inherit"] });
	const code = await child.exited;
	if (code === 0) return exitCodes.answered;
	printError(`ssh exited with code ${code}`);
	return exitCodes.failed;
}

function freePort(): number {
	using server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
	return server.port;
}
