/** The entry point of skills. */
export { findNamedSkills, findSkills } from "./find-skills.ts";
export { listSkills } from "./list-skills.ts";
export type { Skill } from "./skill.ts";
export { skillUrls, unknownSkill } from "./skill-urls.ts";
