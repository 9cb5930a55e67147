/** Runs a login from its first step to a credential, and renews the credentials of a login. */
import { delay, isAbort } from "@tau/utils";

import type { NewCredential, StoredCredential } from "../types.ts";
import { authorizeInBrowser } from "./authorization-code.ts";
import { authorizeOnDevice, type Clock } from "./device-code.ts";
import type { OAuthFlow } from "./flow.ts";
import type { LoginInteraction } from "./interaction.ts";
import { OAuthError, type OAuthProblem } from "./oauth-error.ts";
import { ask } from "./request.ts";
import { exchange, readTokens, whoIs } from "./tokens.ts";

export type LoginResult =
	{ ok: true; credential: NewCredential } | { ok: false; problem: OAuthProblem; message: string };

const realClock: Clock = { now: Date.now, wait: delay };

/** Never throws. */
export async function login(
	flow: OAuthFlow,
	interaction: LoginInteraction,
	signal: AbortSignal,
	clock: Clock = realClock,
): Promise<LoginResult> {
	try {
		signal.throwIfAborted();
		const { grant } = flow;
		const answer =
			grant.kind === "device_code"
				? await authorizeOnDevice(flow, grant, interaction, signal, clock)
				: await authorizeInBrowser(flow, grant, interaction, signal);
		const credential = await readTokens(flow, answer, clock.now(), signal);
		if (credential.account === undefined && flow.exchange?.isLate) {
			const account = await whoIs(flow, credential.access, signal);
			if (account !== "") credential.account = account;
		}
		if (!flow.codeAssist) return { ok: true, credential };
		const { setUpCodeAssist } = await import("./code-assist.ts");
		const account = { service: flow.codeAssist, token: credential.access };
		const project = await setUpCodeAssist({ ...account, interaction, signal, clock });
		return { ok: true, credential: { ...credential, project } };
	} catch (error) {
		if (error instanceof OAuthError) return { ok: false, problem: error.problem, message: error.message };
		if (signal.aborted || isAbort(error))
			return { ok: false, problem: "aborted", message: "Login cancelled." };
		return { ok: false, problem: "refused", message: error instanceof Error ? error.message : String(error) };
	}
}

/** New tokens for old ones; without a new refresh token, the old one stays valid. Throws `OAuthError`. */
export async function renew(
	flow: OAuthFlow,
	credential: StoredCredential,
	now: number,
): Promise<NewCredential> {
	const { refresh } = credential;
	if (refresh === undefined) throw new OAuthError("revoked", `${flow.label}: the login has expired`);
	if (flow.exchange && !flow.exchange.isLate) return exchange(flow, refresh);
	const answer = await ask(flow, flow.tokenUrl, {
		grant_type: "refresh_token",
		refresh_token: refresh,
		...(flow.clientId === undefined ? {} : { client_id: flow.clientId }),
		...(flow.clientSecret === undefined ? {} : { client_secret: flow.clientSecret }),
	}).catch((error: unknown) => {
		const isNo = error instanceof OAuthError && (error.status === 401 || error.status === 403);
		// The server has understood the request and does not want this login: asking again changes nothing.
		throw isNo ? new OAuthError("revoked", error.message, error.status) : error;
	});
	return readTokens(flow, answer, now);
}
