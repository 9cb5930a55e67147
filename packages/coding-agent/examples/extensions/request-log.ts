/** Marks requests for a proxy, adds a provider setting to them, and records how servers respond. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function requestLog(pi: ExtensionAPI) {
	pi.on("before_provider_headers", ({ headers }, ctx) => {
		headers["x-tau-session"] = ctx.sessionManager.getSessionId();
	});
	pi.on("before_provider_request", ({ payload }) => {
		if (typeof payload !== "object" || payload === null) return undefined;
		return { ...payload, metadata: { user_id: "somebody" } };
	});
	pi.on("after_provider_response", ({ status, headers }, ctx) => {
		pi.logger.info("a model has answered", { status, type: headers["content-type"] ?? "" });
		if (status === 429) ctx.ui.notify("The server limits the rate of requests.", "warning");
	});
}
