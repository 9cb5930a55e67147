/** Counts the server events of a model by kind, and shows them with /wire: for authors of providers. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function wireTap(pi: ExtensionAPI) {
	const counts = new Map<string, number>();
	pi.on("provider_stream_event", ({ api, data }) => {
		const kind =
			typeof data === "object" && data !== null && "type" in data ? String(data.type) : typeof data;
		counts.set(`${api} ${kind}`, (counts.get(`${api} ${kind}`) ?? 0) + 1);
	});
	pi.registerCommand("wire", {
		description: "Show what the server has sent",
		handler(_args, ctx) {
			ctx.ui.notify([...counts].map(([kind, count]) => `${kind}: ${count}`).join("\n") || "Nothing yet.");
		},
	});
}
