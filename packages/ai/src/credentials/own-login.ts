/** A login implemented in code, such as that of an extension's provider; the built-in ones are data. */
import { abortable, withTimeout } from "@tau/utils";

import { limits } from "./limits.ts";
import type { LoginInteraction } from "./oauth/interaction.ts";
import type { NewCredential, StoredCredential } from "./types.ts";

export interface OwnLogin {
	provider: string;
	label: string;
	login(interaction: LoginInteraction, signal: AbortSignal): Promise<NewCredential>;
	renew(credential: NewCredential, signal: AbortSignal): Promise<NewCredential>;
	/** Receives the refresh token of the stored login, now and after each change; undefined if none is stored. */
	onStored?(refresh: string | undefined): void;
}

/** What renews the tokens of a login that is made elsewhere. */
export type LoginRenewal = Pick<OwnLogin, "provider" | "label" | "renew">;

type Result = { ok: true; credential: NewCredential } | { ok: false; stopped: boolean; message: string };

/** Never throws, and ends when the signal aborts, even if the login ignores it. */
export async function loginOwn(
	own: OwnLogin,
	interaction: LoginInteraction,
	signal: AbortSignal,
): Promise<Result> {
	// Its end cancels everything that it still waits for, such as a line to be pasted.
	const over = new AbortController();
	using deadline = withTimeout(signal, limits.deviceCodeMs, `The login to ${own.label} was not completed.`);
	const all = AbortSignal.any([deadline.signal, over.signal]);
	try {
		return { ok: true, credential: await abortable(own.login(interaction, all), deadline.signal) };
	} catch (error) {
		if (signal.aborted) return { ok: false, stopped: true, message: "Login cancelled." };
		const { OAuthError } = await import("./oauth/index.ts");
		return { ok: false, stopped: false, message: new OAuthError("refused", reasonOf(error)).message };
	} finally {
		over.abort();
	}
}

/** Throws an `OAuthError`: of a custom error it is only known that a later attempt may help. */
export async function renewOwn(own: LoginRenewal, credential: StoredCredential): Promise<NewCredential> {
	using deadline = withTimeout(undefined, limits.requestMs, `${own.label} did not answer in time`);
	try {
		return await abortable(own.renew(credential, deadline.signal), deadline.signal);
	} catch (error) {
		const { OAuthError } = await import("./oauth/index.ts");
		throw new OAuthError("refused", `${reasonOf(error)} (if this persists, run /login ${own.provider})`);
	}
}

function reasonOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
