/** The public interface of tool schemas: each protocol needs its own form. */
export { objectSchema } from "./object.ts";
export { plainSchema } from "./plain.ts";
export { strictSchema } from "./strict.ts";
