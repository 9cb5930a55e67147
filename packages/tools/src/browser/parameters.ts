/** The arguments of the tool `browser`. */
import { z } from "zod";

import { limits } from "./limits.ts";

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

const ref = z.int().positive();
const text = z.string();

export const parameters = z.object({
	action: z.enum(actions),
	url: text.max(limits.openedUrlChars).optional(),
	tab: z.int().nonnegative().optional().describe("0: a new one"),
	ref: ref.optional(),
	to: ref.optional(),
	text: text.optional(),
	fields: z.record(text, text).optional().describe("ref: value"),
	values: z.array(text).optional(),
	key: text.optional().describe("Enter, Control+a"),
	paths: z.array(text).max(limits.uploads).optional(),
	path: text.optional().describe("save here"),
	view: z.enum(["controls", "outline", "text", "region"]).optional(),
	by: z.int().optional().describe("pixels down"),
	count: z.int().min(1).max(3).optional(),
	button: z.enum(["left", "middle", "right"]).optional(),
	accept: z.boolean().optional(),
	gone: z.boolean().optional(),
	full: z.boolean().optional(),
	refs: z.boolean().optional(),
	code: text.optional(),
	seconds: z.number().positive().max(limits.maxSeconds).optional(),
});

export type Arguments = z.infer<typeof parameters>;
export type Action = Arguments["action"];
