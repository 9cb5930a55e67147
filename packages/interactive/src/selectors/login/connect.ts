/** Adds a subscription or a key to the credential store, and shows the user the progress. */
import { providerOf } from "@tau/ai";
import { shortenHome, stripControls } from "@tau/utils";

import { openBrowser } from "@tau/session-commands/shared";
import { copyToClipboard } from "../../clipboard.ts";
import { isRejected } from "@tau/session-commands/work";
import type { InteractiveHost } from "../../host.ts";
import { openSelector, screenOf } from "../open.ts";
import { LoginView } from "./login-view.ts";
import { labelOf, offers, type Offer } from "./offers.ts";
import { loginSelector } from "./selector.ts";

/** Shows the list. Resolves with the provider that can be used now, or with undefined when the user cancelled. */
export async function connectOneOf(
	host: InteractiveHost,
	known: readonly Offer[],
	search?: string,
): Promise<string | undefined> {
	let connected: Promise<string | undefined> | undefined;
	const shown = openSelector(host, (screen, close) => ({
		component: loginSelector(screen, {
			offers: () => known,
			...(search === undefined ? {} : { search }),
			logIn: async (offer) => {
				connected = logIn(host, offer);
				close();
				await connected;
			},
			keepKey: async (offer, key) => {
				await keepKey(host, offer, key);
				connected = Promise.resolve(offer.provider);
			},
			close,
		}),
	}));
	await shown.closed;
	return await connected;
}

async function keepKey(host: InteractiveHost, { provider }: Offer, key: string): Promise<void> {
	await host.credentials.add(provider, { kind: "api_key", access: key });
	host.notify(`Saved the ${labelOf(provider)} API key to ${shortenHome(host.credentials.path)}.`, "success");
	void warnIfRejected(host, provider, key);
}

/** A mistake is better seen here than at the first prompt. Nobody waits for the answer. */
async function warnIfRejected(host: InteractiveHost, provider: string, key: string): Promise<void> {
	if (!(await isRejected(host.registry, provider, key))) return;
	host.notify(
		`${labelOf(provider)} rejects the API key that was just saved. Check it, and run /login again.`,
		"warning",
	);
	host.tui.requestRender();
}

/** Escape cancels the login. Its outcome is shown in the transcript. */
export async function logIn(host: InteractiveHost, { provider, label }: Offer): Promise<string | undefined> {
	const stop = new AbortController();
	const view = new LoginView(screenOf(host), label, {
		open: (url) => openBrowser(url, process.env),
		copy: (url) => copyToClipboard(host.tui.terminal, url),
		hyperlinks: host.tui.terminal.features?.hyperlinks ?? false,
	});
	const shown = host.showInEditor(view, { onCancel: () => stop.abort() });
	try {
		const result = await host.credentials.login(provider, view, stop.signal);
		if (!result.ok) {
			if (!result.stopped) host.notify(result.message, "error");
			return undefined;
		}
		const { account } = result.credential;
		const who = account === undefined ? "" : ` as ${stripControls(account, { newline: false, tab: false })}`;
		host.notify(`Logged in to ${label}${who}.`, "success");
		return provider;
	} catch (error) {
		host.notify(error instanceof Error ? error.message : String(error), "error");
		return undefined;
	} finally {
		shown.close();
	}
}

/** Returns every provider that the user can log in to or have a key for. */
export async function knownOffers({ credentials, registry }: InteractiveHost): Promise<Offer[]> {
	return offers({
		logins: await credentials.logins(),
		stored: credentials.list(),
		own: registry.providerIds().filter((id) => providerOf(id) === undefined),
		env: process.env,
	});
}
