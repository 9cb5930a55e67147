/** `/login`: brings a subscription or a key into the store of credentials. */
import { providerOf } from "@tau/ai";
import { shortenHome, stripControls } from "@tau/utils";

import { openBrowser } from "../../shared/open-browser.ts";
import type { InteractiveHost } from "../host.ts";
import { screenOf, openSelector } from "../selectors/open.ts";
import { LoginView } from "../selectors/login/login-view.ts";
import { labelOf, offers, type Offer } from "../selectors/login/offers.ts";
import { loginSelector } from "../selectors/login/selector.ts";
import type { SlashCommand } from "./command.ts";

export const login: SlashCommand = {
	name: "login",
	argumentHint: "[provider]",
	description: "Log in to a provider, or keep a key for it",
	async run(args, host) {
		const { credentials, registry } = host;
		const known = offers({
			logins: await credentials.logins(),
			stored: credentials.list(),
			own: registry.providerIds().filter((id) => providerOf(id) === undefined),
			env: process.env,
		});
		const named = known.find(({ provider }) => provider === args.toLowerCase());
		if (named?.kind === "login") return logIn(host, named);
		openSelector(host, (screen, close) => ({
			component: loginSelector(screen, {
				offers: () => known,
				...(args === "" ? {} : { search: args }),
				logIn: (offer) => {
					close();
					return logIn(host, offer);
				},
				keepKey: (offer, key) => keepKey(host, offer, key),
				close,
			}),
		}));
	},
};

async function keepKey(host: InteractiveHost, { provider }: Offer, key: string): Promise<void> {
	await host.credentials.add(provider, { kind: "api_key", access: key });
	host.notify(
		`The key for ${labelOf(provider)} is kept in ${shortenHome(host.credentials.path)}. /model shows its models.`,
		"success",
	);
}

/** Escape stops it. What becomes of it is said in the transcript. */
async function logIn(host: InteractiveHost, { provider, label }: Offer): Promise<void> {
	const stop = new AbortController();
	const view = new LoginView(screenOf(host), label, (url) => openBrowser(url, process.env));
	const shown = host.showInEditor(view, { onCancel: () => stop.abort() });
	try {
		const result = await host.credentials.login(provider, view, stop.signal);
		if (result.ok) {
			const { account } = result.credential;
			const who =
				account === undefined ? "" : ` as ${stripControls(account, { newline: false, tab: false })}`;
			host.notify(`Logged in to ${label}${who}. /model shows its models.`, "success");
		} else if (!result.stopped) host.notify(result.message, "error");
	} catch (error) {
		host.notify(error instanceof Error ? error.message : String(error), "error");
	} finally {
		shown.close();
	}
}
