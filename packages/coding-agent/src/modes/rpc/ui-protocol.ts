/** The frames by which extensions ask a client something or show it something, and the client's answers. */
import { z } from "zod";

const head = { type: z.literal("extension_ui_request"), id: z.string() };
const timeout = z.number().optional();
const method = <M extends string, S extends z.core.$ZodShape>(name: M, shape: S) =>
	z.object({ ...head, method: z.literal(name), ...shape });

export const uiRequestSchema = z
	.discriminatedUnion("method", [
		method("select", { title: z.string(), options: z.array(z.string()), timeout }),
		method("confirm", { title: z.string(), message: z.string(), timeout }),
		method("input", { title: z.string(), placeholder: z.string().optional(), timeout }),
		method("editor", { title: z.string(), prefill: z.string().optional(), timeout }),
		method("notify", { message: z.string(), notifyType: z.enum(["info", "warning", "error"]) }),
		method("setStatus", { statusKey: z.string(), statusText: z.string().optional() }),
		method("setWidget", {
			widgetKey: z.string(),
			widgetLines: z.array(z.string()).optional(),
			widgetPlacement: z.enum(["aboveEditor", "belowEditor"]),
		}),
		method("setTitle", { title: z.string() }),
		method("set_editor_text", { text: z.string() }),
	])
	.meta({ id: "UIRequest" });

const answerHead = { type: z.literal("extension_ui_response"), id: z.string() };

export const uiAnswerSchema = z
	.union([
		z.object({ ...answerHead, cancelled: z.literal(true) }),
		z.object({ ...answerHead, value: z.string() }),
		z.object({ ...answerHead, confirmed: z.boolean() }),
	])
	.meta({ id: "UIAnswer" });

export type RpcUIRequest = z.infer<typeof uiRequestSchema>;
export type RpcUIAnswer = z.infer<typeof uiAnswerSchema>;
