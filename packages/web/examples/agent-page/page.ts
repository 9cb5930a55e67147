/**
 * An agent in a page: the loop runs here, with a tool of this page, and the model is asked through a Tau gateway, or at
 * Anthropic with a key of the user. The address has the choice: `#gateway=<url>&token=<token>&model=<provider>/<id>`,
 * or `#key=<key>`, which is kept sealed in this browser and taken out of the address.
 */
import {
	AppTransport,
	ConversationStore,
	createAgent,
	KeyStore,
	ProviderTransport,
	showAgent,
	type AgentTool,
} from "@tau/web/agent";

const stock: Readonly<Record<string, number>> = { bolt: 120, nut: 80 };

const countStock: AgentTool = {
	name: "count_stock",
	label: "Count stock",
	description: "How many pieces of an article are in stock.",
	parameters: { type: "object", properties: { article: { type: "string" } }, required: ["article"] },
	concurrency: "shared",
	approval: "read",
	validate: (input) =>
		typeof input.article === "string"
			? { ok: true, value: { article: input.article } }
			: { ok: false, reason: "article: a text is required" },
	execute: (_id, { article }) =>
		Promise.resolve({ content: [{ type: "text", text: String(stock[String(article)] ?? 0) }] }),
};

const choice = new URLSearchParams(location.hash.slice(1));
const conversations = new ConversationStore();
const gateway = choice.get("gateway");
const agent = createAgent({
	...(gateway === null ? await atProvider() : behindGateway(gateway)),
	systemPrompt: "You answer questions about the stock.",
	tools: [countStock],
	messages: (await conversations.load("stock")) ?? [],
});
agent.subscribe(async (event) => {
	if (event.type === "agent_end") await conversations.save("stock", agent.state.messages);
});
const element = document.getElementById("agent");
if (element) showAgent(element, { agent, placeholder: "Ask about the stock" });

function behindGateway(url: string): Pick<Parameters<typeof createAgent>[0], "model" | "transport"> {
	const transport = new AppTransport({ url, token: () => choice.get("token") ?? "" });
	const [provider = "", id = ""] = (choice.get("model") ?? "").split("/");
	return { transport, model: transport.model(provider, id) };
}

async function atProvider(): Promise<Pick<Parameters<typeof createAgent>[0], "model" | "transport">> {
	const keys = new KeyStore();
	const key = choice.get("key");
	if (key !== null) {
		await keys.set("anthropic", key);
		choice.delete("key");
		history.replaceState(null, "", `#${choice.toString()}`);
	}
	return {
		transport: new ProviderTransport({ keys }),
		model: {
			id: "claude-sonnet-4-5",
			name: "Claude Sonnet 4.5",
			api: "anthropic-messages",
			provider: "anthropic",
			baseUrl: choice.get("at") ?? "https://api.anthropic.com",
			reasoning: true,
			input: ["text", "image"],
			cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
			contextWindow: 200_000,
			maxTokens: 64_000,
		},
	};
}
