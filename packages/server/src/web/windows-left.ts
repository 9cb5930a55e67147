/** What is left of the user's subscriptions, for the statistics in the page. Loaded with the first question for it. */
import { quotaProviders } from "@tau/ai";
import { openCredentialStore } from "@tau/config/models";
import { Settings } from "@tau/config/settings";
import type { ProviderWindow } from "@tau/stats";
import { dirs, errorText, log } from "@tau/utils";

import { limits } from "./limits.ts";

/** A vendor that does not answer is noted in the log and left out. */
export async function windowsLeft(): Promise<ProviderWindow[]> {
	const onNotice = (reason: string): void => log.warn("a subscription cannot be asked", { reason });
	const signal = AbortSignal.timeout(limits.quotaMs);
	try {
		const { agent: agentDir, profile, home } = dirs();
		const settings = await Settings.load({ cwd: home, agentDir, profile, home });
		using store = await openCredentialStore({ env: process.env, settings, onNotice });
		const logins = new Set(store.list().flatMap((each) => (each.kind === "oauth" ? [each.provider] : [])));
		const asked = quotaProviders.filter((provider) => logins.has(provider));
		const answers = await Promise.allSettled(asked.map((provider) => store.quota(provider, signal)));
		return answers.flatMap((answer, at) => {
			const provider = asked[at] ?? "";
			if (answer.status === "rejected") onNotice(`${provider}: ${errorText(answer.reason)}`);
			const { windows = [], plan } = (answer.status === "fulfilled" && answer.value) || {};
			return windows.map((window) => ({ provider, ...(plan === undefined ? {} : { plan }), ...window }));
		});
	} catch (error) {
		onNotice(errorText(error));
		return [];
	}
}
