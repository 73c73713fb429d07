import type { Translator } from "../../../application/ports/AlertTools.ts"

/** The payload to paste. Every value is quoted: a bare one that is empty would break the JSON. */
export const template = [
  '{"id":"$ID","event_type":"$EVENT_TYPE","title":"$EVENT_TITLE","body":"$EVENT_MSG","text_only_msg":"$TEXT_ONLY_MSG",',
  '"date":"$DATE","last_updated":"$LAST_UPDATED","org":{"id":"$ORG_ID","name":"$ORG_NAME"},"alert_id":"$ALERT_ID",',
  '"alert_title":"$ALERT_TITLE","alert_transition":"$ALERT_TRANSITION","alert_type":"$ALERT_TYPE",',
  '"alert_status":"$ALERT_STATUS","alert_priority":"$ALERT_PRIORITY","alert_cycle_key":"$ALERT_CYCLE_KEY",',
  '"aggreg_key":"$AGGREG_KEY","alert_scope":"$ALERT_SCOPE","alert_metric":"$ALERT_METRIC",',
  '"alert_query":"$ALERT_QUERY","hostname":"$HOSTNAME","priority":"$PRIORITY","tags":"$TAGS","link":"$LINK",',
  '"snapshot":"$SNAPSHOT"}'
]

const sample = (transition: string, type: string, date: string) => ({
  alert_id: "15570231",
  alert_cycle_key: "8213749901234567890",
  alert_title: `[P2] [${transition} on {env:prod,service:orders}] Orders error rate`,
  alert_transition: transition,
  alert_type: type,
  alert_priority: "P2",
  tags: "env:prod,monitor,service:orders",
  date
})

export const samples: Translator["samples"] = {
  firing: { body: sample("Triggered", "error", "1794665520000") },
  resolved: { body: sample("Recovered", "success", "1794666900000") }
}
