/** Opens the list of models, and connects a provider that is chosen there without a key. */
import type { CommandReply } from "@tau/wire";
import { model as row } from "@tau/session-commands/rows";
import type { CanonicalData, ModelListData } from "@tau/session-commands/work";

import type { InteractiveHost } from "../../host.ts";
import { quietReply } from "../../run-row.ts";
import { connectOneOf, knownOffers } from "../login/connect.ts";
import { openSelector } from "../open.ts";
import { modelSelector } from "./selector.ts";

/** The list; the transcript shows where another model begins when the session says so. */
export function showModels(
	host: InteractiveHost,
	reply: CommandReply,
	search: string,
	provider?: string,
): void {
	const data = reply.data as ModelListData | { model: string };
	if (!("listed" in data)) return;
	const { client } = host;
	openSelector(host, (screen, close) => ({
		component: modelSelector(screen, {
			models: data,
			canonical: () => dataOf<CanonicalData>(quietReply(row, "canonical", host)),
			...(search === "" ? {} : { search }),
			...(provider === undefined ? {} : { tab: `provider ${provider}` }),
			connect: (missing) => void connectTo(host, missing),
			async use({ provider: from, id: modelId }, level) {
				await client.request("set_model", { provider: from, modelId });
				if (level) await client.request("set_thinking_level", { level });
			},
			setDefault: async (name) => void (await quietReply(row, `default ${name}`, host)),
			toggleFavorite: async (name) => dataOf<ModelListData>(await quietReply(row, `favorite ${name}`, host)),
			close,
		}),
	}));
}

/** The row gives its replies this data. */
function dataOf<D>(reply: CommandReply): D;
function dataOf<D>(reply: CommandReply | Promise<CommandReply>): D | Promise<D>;
function dataOf<D>(reply: CommandReply | Promise<CommandReply>): D | Promise<D> {
	return reply instanceof Promise ? reply.then(({ data }) => data as D) : (reply.data as D);
}

/** With the models of this provider first. */
export async function openModels(host: InteractiveHost, provider: string): Promise<void> {
	showModels(host, await quietReply(row, "choose", host), "", provider);
}

/** Then the list is shown again, with what can be used now. */
async function connectTo(host: InteractiveHost, provider: string): Promise<void> {
	try {
		if (host.isAttached)
			throw new Error(`Connect ${provider} with /login in the terminal of the session, or with tau login.`);
		const connected = await connectOneOf(host, await knownOffers(host), provider);
		if (connected !== undefined) await openModels(host, connected);
	} catch (error) {
		host.notify(error instanceof Error ? error.message : String(error), "error");
	}
}
