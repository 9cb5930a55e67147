/** What the gateway stands in front of: this user's models and credentials, as every session has them. */
import { CredentialError, stream, type CredentialStore, type Model } from "@tau/ai";
import { KeySource, storedLogins, type ModelRegistry } from "@tau/config/models";
import { checkKey, discover, DiscoveryCache, discoveryTargets } from "@tau/config/models/discovery";
import type { CredentialState, Upstream } from "@tau/gateway";
import { dirs, errorText, loadDotenv } from "@tau/utils";

import type { Args } from "../../args.ts";
import { loadRegistry } from "../../launch/load-models.ts";
import { openSettings } from "../../launch/load-settings.ts";
import { printError } from "../../print-error.ts";
import { openCredentials } from "../auth/store.ts";

export interface OpenedUpstream extends Upstream, Disposable {}

export async function openUpstream(args: Args): Promise<OpenedUpstream> {
	loadDotenv();
	const settings = await openSettings(args);
	// A broker's, if one is set.
	const store = await openCredentials(settings);
	const registry = await loadRegistry(args, process.env, settings, storedLogins(store));
	await registry.listed();
	const servers = discover(discoveryTargets(registry, process.env), new DiscoveryCache(dirs().cache));
	registry.add(...(await servers.current()).flatMap(({ models }) => models));
	const models = await usable(registry, store);
	const announced = new Set<string>();
	// Each request has a source of its own, and would tell it again.
	const onNotice = (message: string): void => {
		if (announced.has(message)) return;
		announced.add(message);
		printError(message);
	};
	return {
		models,
		lease: (model, sessionId = "gateway") =>
			leaseOf(registry, model, new KeySource({ store, registry, sessionId, onNotice })),
		limits: (signal) => subscriptionsOf(store, signal),
		check: () => checkAll(store, registry),
		stream,
		[Symbol.dispose]: () => store[Symbol.dispose](),
	};
}

/** A login while the gateway runs counts soon, and requests do not each go through the whole catalogue. */
const modelsMs = 1_000;

/** Without any at the start, the demo model answers, as in a session. */
async function usable(registry: ModelRegistry, store: CredentialStore): Promise<() => readonly Model[]> {
	let models: readonly Model[] = registry.available();
	const demo = models.length > 0 ? undefined : await registry.fallbackModel();
	if (demo) models = [demo];
	let readAt = performance.now();
	return () => {
		const now = performance.now();
		if (now < readAt + modelsMs) return models;
		readAt = now;
		void store.reload();
		models = registry.available();
		if (models.length === 0 && demo) models = [demo];
		return models;
	};
}

/** A source of its own for each request: it remembers which credential its request had. */
async function leaseOf(
	registry: ModelRegistry,
	model: Model,
	keys: KeySource,
): ReturnType<Upstream["lease"]> {
	const problem = await registry.unlock(model.provider);
	if (problem !== undefined) throw new CredentialError(problem);
	return {
		access: await keys.for(model),
		isSubscription: keys.isSubscription(model.provider),
		report: (outcome) => keys.report(model.provider, outcome),
	};
}

/** A vendor that does not answer is named with its reason. */
async function subscriptionsOf(store: CredentialStore, signal: AbortSignal): Promise<object[]> {
	const logins = store.list().filter(({ kind, refused }) => kind === "oauth" && refused === undefined);
	const providers = [...new Set(logins.map(({ provider }) => provider))];
	const known = providers.map(async (provider) => {
		try {
			const quota = await store.quota(provider, signal);
			return quota ? [{ provider, ...quota }] : [];
		} catch (error) {
			return [{ provider, problem: errorText(error) }];
		}
	});
	return (await Promise.all(known)).flat();
}

async function checkAll(store: CredentialStore, registry: ModelRegistry): Promise<CredentialState[]> {
	const stored = store.list();
	const providers = new Set([
		...stored.map(({ provider }) => provider),
		...registry.available().map((m) => m.provider),
	]);
	const states = [...providers].map(async (provider): Promise<CredentialState[]> => {
		const own = stored.filter((each) => each.provider === provider);
		if (own.length === 0) {
			const key = registry.apiKey(provider);
			return [
				key === undefined
					? { provider, ok: true, note: "needs no key" }
					: await checked(registry, provider, key),
			];
		}
		return await Promise.all(
			own.map(async ({ id, account, refused }): Promise<CredentialState> => {
				const named = account === undefined ? {} : { account };
				if (refused !== undefined) return { provider, ...named, ok: false, note: refused };
				try {
					const token = await store.tokenOf(id);
					const state =
						token === undefined ? { provider, ok: false } : await checked(registry, provider, token);
					return { ...state, ...named };
				} catch (error) {
					if (!(error instanceof CredentialError)) throw error;
					return { provider, ...named, ok: false, note: error.message };
				}
			}),
		);
	});
	return (await Promise.all(states)).flat();
}

async function checked(registry: ModelRegistry, provider: string, key: string): Promise<CredentialState> {
	switch (await checkKey(registry, provider, key)) {
		case "accepted":
			return { provider, ok: true };
		case "rejected":
			return { provider, ok: false, note: "the provider rejects it" };
		case "unknown":
			return { provider, ok: true, note: "not checked: the provider did not say" };
	}
}
