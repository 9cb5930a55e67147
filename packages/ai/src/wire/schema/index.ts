/** The door of tool schemas: each protocol takes them in its own shape. */
export { objectSchema } from "./object.ts";
export { plainSchema } from "./plain.ts";
export { strictSchema } from "./strict.ts";
