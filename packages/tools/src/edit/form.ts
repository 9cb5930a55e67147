/** A form of `edit`: its prompt for the model, its parameters, and the changes that a call would make. */
import type { Touch } from "@tau/agent";
import type { JsonSchema } from "@tau/ai";
import type { z } from "zod";

import type { ToolContext, TouchContext } from "../tool/define-tool.ts";
import type { EditMode } from "../files/edit-mode.ts";
import type { Plan } from "./plan.ts";

export interface EditForm<P extends z.ZodObject = z.ZodObject> {
	readonly mode: EditMode;
	readonly prompt: string;
	parameters(): P;
	/** The parameters as JSON Schema, from `parameters.json`. */
	readonly schema: JsonSchema;
	plan(params: z.infer<P>, context: ToolContext): Plan | Promise<Plan>;
	/** Returns the resources that a call would touch; arguments may be missing. */
	touches(params: Partial<z.infer<P>>, context: TouchContext): readonly Touch[];
	/** The subject of the edit, as the user sees it. */
	subject(params: Partial<z.infer<P>>): string | undefined;
}
