/** Keeps tokens fresh: one renewal at a time, in this process and among all that share the file. */
import { abortable, delay, log, type Env } from "@tau/utils";

import { limits } from "./limits.ts";
import { findFlow, OAuthError, renew, type OAuthFlow } from "./oauth/index.ts";
import { renewOwn, type LoginRenewal } from "./own-login.ts";
import { CredentialError, type NewCredential, type StoredCredential, type TokenKeeper } from "./types.ts";
import type { Lease, Vault } from "./vault.ts";

export interface RenewalParts {
	vault: Vault;
	env: Env;
	now(): number;
	flows?: readonly OAuthFlow[];
	/** A custom login; it overrides the flow of the same provider. */
	own?(provider: string): LoginRenewal | undefined;
}

export class Renewals implements TokenKeeper {
	readonly #parts: RenewalParts;
	readonly #running = new Map<string, Promise<StoredCredential>>();

	constructor(parts: RenewalParts) {
		this.#parts = parts;
	}

	async fresh(credential: StoredCredential, signal?: AbortSignal): Promise<StoredCredential> {
		return isDue(credential, this.#parts.now()) ? this.renewed(credential, signal) : credential;
	}

	async renewed(credential: StoredCredential, signal?: AbortSignal): Promise<StoredCredential> {
		let running = this.#running.get(credential.id);
		if (!running) {
			running = this.#renew(credential).finally(() => this.#running.delete(credential.id));
			this.#running.set(credential.id, running);
		}
		return abortable(running, signal);
	}

	async #renew(credential: StoredCredential): Promise<StoredCredential> {
		const { vault, now } = this.#parts;
		const deadline = now() + limits.leaseMs + limits.requestMs;
		for (;;) {
			const lease = vault.lease(credential.id, credential.revision, now());
			if (lease.state === "renewed") return lease.credential;
			if (lease.state === "mine") return this.#ask(lease);
			if (lease.state === "gone") throw new CredentialError(loginAgain(credential));
			if (now() > deadline)
				throw new CredentialError(`${nameOf(credential)} is being renewed by another process.`);
			await delay(limits.leasePollMs);
		}
	}

	async #ask(lease: Extract<Lease, { state: "mine" }>): Promise<StoredCredential> {
		const { vault } = this.#parts;
		const { credential } = lease;
		try {
			const renewed = await this.#newTokens(credential);
			const stored = vault.settle(lease, { ...renewed, revision: credential.revision + 1 });
			if (!stored) throw new CredentialError(loginAgain(credential));
			return stored;
		} catch (error) {
			if (!(error instanceof OAuthError)) throw error;
			return this.#failed(lease, error);
		}
	}

	async #newTokens(credential: StoredCredential): Promise<NewCredential> {
		const { env, now, flows, own } = this.#parts;
		const { provider } = credential;
		const brought = own?.(provider);
		if (brought) return renewOwn(brought, credential);
		const flow = findFlow(provider, env, flows);
		if (!flow) throw new OAuthError("refused", `nothing here can renew logins of ${provider}`);
		return renew(flow, credential, now());
	}

	#failed(lease: Extract<Lease, { state: "mine" }>, error: OAuthError): StoredCredential {
		const { vault, now } = this.#parts;
		const { credential } = lease;
		log.warn("a login could not be renewed", { provider: credential.provider, problem: error.problem });
		const gone = error.problem === "revoked" || error.problem === "denied";
		const current = vault.settle(lease, gone ? { refused: error.message } : {});
		// Another process was faster, or the stored token lasts a little longer: both are fine.
		if (current && current.refused === undefined && (current.expiresAt ?? Infinity) > now()) return current;
		throw new CredentialError(
			gone ? loginAgain(credential) : `Cannot renew ${nameOf(credential)}: ${error.message}`,
		);
	}
}

export function isDue({ kind, expiresAt }: StoredCredential, now: number): boolean {
	return kind === "oauth" && expiresAt !== undefined && expiresAt - now < limits.renewEarlyMs;
}

function loginAgain(credential: StoredCredential): string {
	return `${nameOf(credential)} is no longer valid. Run tau login ${credential.provider}`;
}

function nameOf({ provider, account }: StoredCredential): string {
	return account === undefined ? `The login of ${provider}` : `The login of ${provider} (${account})`;
}
