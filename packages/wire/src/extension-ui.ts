/** pi's frames for the dialogs and displays of extensions. */
import { once } from "@tau/utils";
import { z } from "zod";

import { dialogs } from "./requests.ts";
import type { Shape } from "./schema.ts";

export const extensionUIRequest = once(() => {
	const head = { type: z.literal("extension_ui_request"), id: z.string() };
	const frame = <S extends Shape>(shape: S) => z.object({ ...head, ...shape });
	const display = <M extends string, S extends Shape>(method: M, shape: S) =>
		frame({ method: z.literal(method), ...shape });
	const { select, confirm, input, editor } = dialogs();
	return z
		.discriminatedUnion("method", [
			frame(select),
			frame(confirm),
			frame(input),
			frame(editor),
			display("notify", { message: z.string(), notifyType: z.enum(["info", "warning", "error"]) }),
			display("setStatus", { statusKey: z.string(), statusText: z.string().optional() }),
			display("setWidget", {
				widgetKey: z.string(),
				widgetLines: z.array(z.string()).optional(),
				widgetPlacement: z.enum(["aboveEditor", "belowEditor"]),
			}),
			display("setTitle", { title: z.string() }),
			display("set_editor_text", { text: z.string() }),
		])
		.meta({ id: "UIRequest" });
});

export const extensionUIResponse = once(() => {
	const head = { type: z.literal("extension_ui_response"), id: z.string() };
	return z
		.union([
			z.object({ ...head, cancelled: z.literal(true) }),
			z.object({ ...head, value: z.string() }),
			z.object({ ...head, confirmed: z.boolean() }),
		])
		.meta({ id: "UIAnswer" });
});

export type ExtensionUIRequest = z.infer<ReturnType<typeof extensionUIRequest>>;
export type ExtensionUIResponse = z.infer<ReturnType<typeof extensionUIResponse>>;
