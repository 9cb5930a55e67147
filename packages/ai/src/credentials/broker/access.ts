/** Whether credentials are borrowed from a broker, from which one, and with which token. */
import { join } from "node:path";

import {
	dirs,
	env as readEnv,
	envNumber,
	expandHome,
	readSecretFile,
	registerSecret,
	shortenHome,
	type Env,
} from "@tau/utils";

import { CredentialError } from "../types.ts";
import { brokerLimits } from "./limits.ts";

export interface BrokerAccess {
	/** Without a slash at the end. */
	url: string;
	token: string;
	/** How long a snapshot may be used without word from the broker; 0 for no file. */
	ttlMs: number;
	/** The file with the last snapshot, encrypted. */
	cachePath: string;
}

/**
 * `setting` is the token in the user's settings. Throws a `CredentialError` if the broker cannot be asked: falling back
 * to local credentials would use others than the user means.
 */
export function brokerAccess(address: string, setting: string | undefined, env: Env): BrokerAccess {
	const url = urlOf(address);
	const { config, cache, home } = dirs(env);
	const file = join(config, "auth-broker.token");
	const token = tokenFrom(env, setting) ?? tokenIn(file);
	if (token === undefined)
		throw new CredentialError(
			`There is no token for the auth broker ${url}. Run tau auth-broker token on its host, and set TAU_AUTH_BROKER_TOKEN or auth.broker.token, or write it to ${shortenHome(file, home)}.`,
		);
	registerSecret(token);
	const ttl = envNumber("TAU_AUTH_BROKER_SNAPSHOT_TTL_MS", env) ?? brokerLimits.snapshotTtlMs;
	const cachePath = readEnv("TAU_AUTH_BROKER_SNAPSHOT_CACHE", env);
	return {
		url,
		token,
		ttlMs: Math.max(0, ttl),
		cachePath:
			cachePath === undefined ? join(cache, "auth-broker-snapshot.enc") : expandHome(cachePath, home),
	};
}

function urlOf(text: string): string {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (
		!url ||
		!/^https?:$/.test(url.protocol) ||
		url.username !== "" ||
		url.password !== "" ||
		url.search !== "" ||
		url.hash !== ""
	)
		throw new CredentialError(
			"The address of the auth broker is not valid. Set TAU_AUTH_BROKER_URL or auth.broker.url to an address such as https://broker.example:8765.",
		);
	return url.href.replace(/\/+$/, "");
}

/** `$NAME` in the settings names a variable. */
function tokenFrom(env: Env, setting: string | undefined): string | undefined {
	const set = readEnv("TAU_AUTH_BROKER_TOKEN", env) ?? setting;
	const variable = /^\$\{?([A-Za-z_]\w*)\}?$/.exec(set ?? "")?.[1];
	const value = (variable === undefined ? set : readEnv(variable, env))?.trim();
	if (!value) return undefined;
	return oneWord(value, variable ?? "TAU_AUTH_BROKER_TOKEN or auth.broker.token");
}

function tokenIn(file: string): string | undefined {
	let text: string | undefined;
	try {
		text = readSecretFile(file, brokerLimits.tokenBytes)?.toString("utf8").trim();
	} catch (error) {
		throw new CredentialError(
			`Cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`,
		);
	}
	return text ? oneWord(text, file) : undefined;
}

function oneWord(token: string, source: string): string {
	if (/^[\x21-\x7e]+$/.test(token)) return token;
	throw new CredentialError(`The token of the auth broker in ${source} is not one word.`);
}
