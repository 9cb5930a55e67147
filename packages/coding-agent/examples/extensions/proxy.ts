/** Sends the requests of a provider through a proxy: --proxy http://localhost:8080; /direct reverts it. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function proxy(pi: ExtensionAPI) {
	pi.registerFlag("proxy", { description: "address of the proxy for requests to Anthropic", type: "string" });
	pi.on("session_start", () => {
		const baseUrl = pi.getFlag("proxy");
		if (typeof baseUrl === "string") pi.registerProvider("anthropic", { baseUrl });
	});
	pi.registerCommand("direct", {
		description: "Send requests without the proxy",
		handler: (_args, ctx) => {
			pi.unregisterProvider("anthropic");
			ctx.ui.notify("Requests no longer use the proxy.");
		},
	});
}
