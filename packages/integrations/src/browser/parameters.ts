/** The arguments of the tool `browser`. */
import { z } from "zod";

const actions = [
	"open",
	"look",
	"click",
	"type",
	"fill",
	"select",
	"hover",
	"drag",
	"scroll",
	"press",
	"upload",
	"download",
	"dialog",
	"wait",
	"back",
	"forward",
	"reload",
	"tabs",
	"close",
	"evaluate",
	"console",
	"network",
	"cookies",
	"clear_cookies",
	"screenshot",
	"pdf",
	"article",
] as const;

// Bounds are checked by the actions: in the schema they would cost a third of its tokens.
const number = () => z.number().optional();
const text = () => z.string().optional();
const flag = () => z.boolean().optional();
const texts = () => z.array(z.string()).optional();

export const parameters = () =>
	z.object({
		action: z.enum(actions),
		url: text(),
		tab: number().describe("0: new"),
		ref: number(),
		to: number(),
		text: text(),
		fields: z.record(z.string(), z.string()).optional(),
		values: texts(),
		key: text(),
		paths: texts(),
		path: text().describe("save there"),
		view: z.enum(["outline", "text", "region"]).optional(),
		by: number(),
		count: number(),
		right: flag(),
		accept: flag(),
		gone: flag(),
		full: flag(),
		refs: flag(),
		code: text(),
		seconds: number(),
	});

export type Arguments = z.infer<ReturnType<typeof parameters>>;
export type Action = Arguments["action"];
