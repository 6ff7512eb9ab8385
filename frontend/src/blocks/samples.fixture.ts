/** Typed results to test with: one of each kind, as the server makes them. */

import type { Block, BlockOf, Job } from "@signalbox/client";

export function job(changes: Partial<Job> = {}): Job {
  return {
    job_id: "board:1",
    title: "Backend Engineer",
    company: "Copperleaf Mobility",
    location: "Berlin, Germany",
    remote: true,
    url: "https://jobs.example/1",
    salary: { min: 60_000, max: 80_000, currency: "EUR", period: "year" },
    match_score: 71.4,
    match_reasons: ["2 of 3 skills match"],
    score_parts: [
      { name: "skills", points: 26.7, out_of: 40, reason: "2 of 3 skills match" },
      { name: "pay", points: 10, out_of: 10, reason: "pays all of what you ask" },
    ],
    matched_skills: ["Python", "SQL"],
    missing_skills: ["Kafka"],
    posted_at: "2026-11-24",
    source: "Example board",
    sample: false,
    ...changes,
  };
}

export function jobsData(changes: Partial<BlockOf<"jobs_data">> = {}): BlockOf<"jobs_data"> {
  const jobs = [job(), job({ job_id: "board:2", title: "Data Engineer", sample: true, url: null })];
  return {
    type: "jobs_data",
    jobs,
    total: jobs.length,
    truncated: false,
    sources: [{ name: "Example board", status: "ok", partial: false, note: "" }],
    ...changes,
  };
}

const FINDING = {
  section: "Experience",
  finding: "Bullet 1 opens with a duty.",
  suggestion: "Open with what you did.",
  severity: "high",
  quote: "Responsible for APIs",
  bullet: 1,
  before: "Responsible for APIs",
  after: "Built APIs, [with what result]",
} as const;
const QUESTION = {
  question: "Why do you want to work here?",
  why: "Listed as common.",
  hint: "A good answer names a reason.",
  kind: "opening",
  basis: "guide",
  citation_ids: ["p_1"],
} as const;
const FACT = {
  fact_id: "f_1",
  kind: "fact",
  key: "skill",
  value: "Python",
  source_message_id: null,
  confidence: 1,
  origin: "said",
  pinned: false,
  noted_on: "2026-11-30",
} as const;

/** One result of each kind, with something in each of its lists. */
export const EVERY: { readonly [B in Block as B["type"]]: B } = {
  jobs_data: jobsData(),
  job_match: {
    type: "job_match",
    criterion: "fit",
    best: "board:1",
    verdicts: [
      { place: 1, job: job(), verdict: "strong", strengths: ["you have Python"], concerns: ["no Kafka"] },
      {
        place: 2,
        job: job({ job_id: "board:2" }),
        verdict: "ruled_out",
        strengths: [],
        concerns: ["in Vienna"],
      },
    ],
  },
  skill_gap: {
    type: "skill_gap",
    target: "data engineer",
    postings: 40,
    sample_postings: 2,
    skills: [
      {
        skill: "Python",
        status: "have",
        postings: 38,
        share: 0.95,
        reason: "in your profile",
        certificate: false,
      },
      {
        skill: "Flink",
        status: "partial",
        postings: 20,
        share: 0.5,
        reason: "close to Spark",
        certificate: false,
      },
      { skill: "Kafka", status: "missing", postings: 10, share: 0.25, reason: "", certificate: true },
    ],
    learn_next: ["Kafka"],
  },
  salary_range: {
    type: "salary_range",
    role: "backend engineer",
    location: "Germany",
    asked_location: "Berlin",
    basis: "postings",
    source: "sample",
    source_id: null,
    url: "https://pay.example/",
    occupation: null,
    n: 4,
    small_sample: true,
    sample: true,
    converted: 1,
    currency: "EUR",
    period: "year",
    p10: 50_000,
    p25: 60_000,
    p50: 70_000,
    p75: 80_000,
    p90: 90_000,
    method: "interpolated",
    figures: [
      { job_id: "b", title: "Engineer", company: "Quillmark", min: 60_000, max: 70_000, posted_at: null },
    ],
    asked: 65_000,
    asked_share: 0.22,
    date_from: "2026-11-01",
    date_to: "2026-11-24",
  },
  resume_feedback: {
    type: "resume_feedback",
    source: "cv.pdf",
    target: "Backend Engineer",
    findings: [{ ...FINDING, severity: "low", finding: "A small thing." }, FINDING],
    strengths: ["A figure stands in bullet 3."],
    unsaid_keywords: ["Django"],
    missing_keywords: ["Kafka"],
  },
  interview_questions: {
    type: "interview_questions",
    role: "Analyst",
    company: "Quillmark",
    questions: [QUESTION],
  },
  interview_practice: {
    type: "interview_practice",
    role: "Analyst",
    company: "Quillmark",
    number: 2,
    of: 5,
    question: "What is a p-value?",
    open: true,
    feedback: ["Keep: you give a reason."],
    asked: QUESTION,
    upcoming: [QUESTION],
    notes: [
      { question: "Why here?", words: 19, star: ["action"], keep: ["reason given"], change: ["too short"] },
    ],
    sources: [
      { id: "p_1", title: "Common questions", source: "guides", heading: "", url: null, as_of: null },
    ],
  },
  company_profile: {
    type: "company_profile",
    company: "Quillmark",
    sample: false,
    facts: [
      {
        fact: "Insurance group",
        source: "Register",
        as_of: "2026-01-03",
        label: "About",
        source_id: null,
        url: "https://register.example/1",
      },
    ],
    unknown: ["founding year"],
  },
  knowledge: {
    type: "knowledge",
    question: "How do I explain a gap?",
    passages: [
      {
        passage_id: "p_1",
        title: "Gaps",
        heading: "Do I have to explain it?",
        text: "Seldom.",
        source: "guides",
        url: null,
        as_of: "2026-11-01",
      },
    ],
  },
  cover_letter: {
    type: "cover_letter",
    title: "Application for Data Analyst",
    body: "Dear team,\n\nI bring [number] years of Python.\n\n[your name]",
    job_id: "board:1",
    kind: "letter",
    company: "Quillmark",
    role: "Data Analyst",
    question: null,
    tone: "plain",
    words: 9,
    placeholders: ["[number]", "[your name]"],
    left_out: ["Kafka"],
    evidence: [{ claim: "I bring Python", fact: "skill: Python", source: "profile" }],
  },
  email_draft: {
    type: "email_draft",
    to: "hr@quillmark.example",
    subject: "My application",
    body: "Dear [name],\n\nHow does it stand?",
    subjects: ["My application", "How does it stand?"],
    placeholders: ["[name]"],
    evidence: [],
    kind: "chaser",
  },
  application_status: {
    type: "application_status",
    changed: "a_2",
    applications: [application("a_1", "Oldco"), application("a_2", "Quillmark")],
  },
  profile_updated: {
    type: "profile_updated",
    added: [FACT],
    removed: [{ ...FACT, fact_id: "f_2", kind: "constraint", key: "salary_min", value: "60000" }],
    profile: [FACT],
  },
  suggestions: { type: "suggestions", text: "", suggestions: [] },
  suggestion_chosen: { type: "suggestion_chosen", suggestion_id: "s_1" },
  approval_required: {
    type: "approval_required",
    approval_id: "ap_1",
    tool: "send_email",
    arguments: {},
    risk: "",
    expires_at: "2026-12-01T00:00:00Z",
  },
  approval_resolved: { type: "approval_resolved", approval_id: "ap_1", decision: "approved" },
};

function application(id: string, company: string): BlockOf<"application_status">["applications"][number] {
  return {
    application_id: id,
    company,
    title: "Engineer",
    status: "applied",
    applied_on: "2026-11-01",
    days_since: 29,
    last_contact_on: null,
    chase_on: "2026-11-15",
    next_step: "wait",
    job_id: null,
  };
}
