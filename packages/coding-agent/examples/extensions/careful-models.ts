/** Lets models that can think do so, and shows the current model and level. */
import type { ExtensionAPI, ExtensionContext } from "@tau/coding-agent";

export default function carefulModels(pi: ExtensionAPI) {
	const show = ({ ui, model, thinkingLevel }: ExtensionContext): void =>
		ui.setStatus("model", `${model?.id ?? "no model"} (${thinkingLevel})`);
	pi.on("model_select", ({ model, previousModel, source }, ctx) => {
		if (source !== "restore" && model.reasoning && pi.getThinkingLevel() === "off")
			pi.setThinkingLevel("low");
		pi.logger.info("another model", { from: previousModel?.id ?? "", to: model.id });
		show(ctx);
	});
	pi.on("thinking_level_select", ({ level, previousLevel }, ctx) => {
		pi.logger.info("another level", { from: previousLevel, to: level });
		show(ctx);
	});
}
