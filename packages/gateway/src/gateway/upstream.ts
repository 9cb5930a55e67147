/** What the gateway stands in front of: models, and what requests to them are sent with. The application provides it. */
import type { Access, Model, Outcome, StreamFunction } from "@tau/ai";
import { string, type Json } from "@tau/ai/serving";

import type { Ledger } from "../keys/index.ts";

/** What one request is sent with. */
export interface Lease {
	access: Access;
	/** A subscription pays: what the request costs is an estimate. */
	isSubscription?: boolean;
	/** Tells the owner of the credential how the request ended, so that the next one may get another. */
	report(outcome: Outcome): void;
}

/** The state of one credential: which account fails, and why. */
export interface CredentialState {
	provider: string;
	account?: string;
	ok: boolean;
	/** What is wrong, or what is not known. */
	note?: string;
}

export interface Upstream {
	/** The models that have credentials. */
	models(): readonly Model[];
	/** Throws a `CredentialError`. */
	lease(model: Model, sessionId: string | undefined, signal: AbortSignal): Promise<Lease>;
	/** How much of their subscriptions the logins have used, as their vendors or the broker say. */
	limits(signal: AbortSignal): Promise<object[]>;
	/** Asks the providers whether they accept the credentials. */
	check(signal: AbortSignal): Promise<CredentialState[]>;
	stream: StreamFunction;
}

/** Models by `provider/id`, and by id alone. */
interface ModelNames {
	exact: Map<string, Model>;
	ids: Map<string, Model[]>;
}

/** Of the lists that are in use: an account has hundreds of models, and each request names one. */
const names = new WeakMap<readonly Model[], ModelNames>();

/**
 * A model as a client names it: `provider/id`, or an id, then of a provider that the client may use, and with its own
 * protocol if there are several.
 */
export function findModel(
	upstream: Upstream,
	name: string,
	api: string,
	isAllowed: (model: Model) => boolean,
): Model | undefined {
	const { exact, ids } = names.getOrInsertComputed(upstream.models(), namesOf);
	const named = ids.get(name) ?? [];
	const allowed = named.length > 1 ? named.filter(isAllowed) : named;
	const usable = allowed.length > 0 ? allowed : named;
	return exact.get(name) ?? usable.find((model) => model.api === api) ?? usable[0];
}

function namesOf(models: readonly Model[]): ModelNames {
	const exact = new Map<string, Model>();
	const ids = new Map<string, Model[]>();
	for (const model of models) {
		exact.getOrInsert(`${model.provider}/${model.id}`, model);
		ids.getOrInsertComputed(model.id, () => []).push(model);
	}
	return { exact, ids };
}

const otherApis: ReadonlySet<string> = new Set(["openai-completions", "openai-responses"]);

/**
 * The catalogue does not list such models: `provider/id` names the provider, and an id alone goes to OpenAI or, without
 * an account there, to the first provider that speaks its protocol.
 */
export function otherModel(upstream: Upstream, body: Json): Model | undefined {
	const name = string(body.model);
	if (!/^[\w./:@+-]{1,200}$/.test(name)) return undefined;
	const speaking = upstream.models().filter(({ api }) => otherApis.has(api));
	const [, provider, id] = /^([^/]+)\/(.+)$/.exec(name) ?? [];
	const named = speaking.find((model) => model.provider === provider);
	if (named && id !== undefined) return asked(named, id);
	const usual = speaking.find((model) => model.provider === "openai") ?? speaking[0];
	return usual && asked(usual, name);
}

/** Prices and lengths are those of a conversation, which say nothing here. */
function asked(model: Model, id: string): Model {
	return { ...model, id, name: id, maxTokens: 0, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } };
}

/** What a provider that gives no time usually means. */
const usualRestMs = 30_000;

/** Lets all nodes skip a credential that one of them was told to rest. */
export function sharingRests(upstream: Upstream, ledger: Ledger): Upstream {
	let last = { secret: "", fingerprint: "" };
	const fingerprintOf = (secret: string): string => {
		if (secret !== last.secret)
			last = { secret, fingerprint: new Bun.CryptoHasher("sha256").update(secret).digest("hex") };
		return last.fingerprint;
	};
	return {
		...upstream,
		async lease(model, sessionId, signal) {
			const lease = await upstream.lease(model, sessionId, signal);
			const { apiKey } = lease.access;
			if (apiKey === undefined) return lease;
			const fingerprint = fingerprintOf(`${model.provider} ${apiKey}`);
			const restMs = await ledger.restsFor(fingerprint).catch(() => 0);
			if (restMs <= 0) return watched(lease, fingerprint, ledger);
			// Its owner here learns of it, and may have another; without one this is still the best there is.
			lease.report({ kind: "rate_limit", retryAfterMs: restMs });
			const other = await upstream.lease(model, sessionId, signal);
			return other.access.apiKey === apiKey ? watched(lease, fingerprint, ledger) : other;
		},
	};
}

function watched(lease: Lease, fingerprint: string, ledger: Ledger): Lease {
	return {
		...lease,
		report(outcome) {
			lease.report(outcome);
			// Whether other nodes learn of it decides no request; an unreachable ledger is reported where it does.
			if (outcome.kind === "rate_limit")
				void ledger.rest(fingerprint, outcome.retryAfterMs ?? usualRestMs).catch(() => {});
		},
	};
}
