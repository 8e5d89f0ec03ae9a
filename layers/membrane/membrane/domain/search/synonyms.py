"""Words that say nearly the same, so that a question finds what was told in other words.

Written by hand and small on purpose: everyday English and the trade's own words, no names. A word
may stand in several groups. It works on the side of the question alone, so it can grow without
indexing anything anew.
"""

from collections.abc import Mapping
from functools import cache

from membrane.domain.search.terms import stem

_GROUPS = """
    accident crash collision
    accommodation hotel hostel lodging apartment flat
    ache pain hurt sore
    achieve accomplish reach
    address location place
    admire respect inspire
    adopt rescue
    afraid scared fear frightened nervous anxious worried
    agreement contract deal
    aim goal target objective ambition
    airplane aeroplane plane flight fly flew
    alarm alert page warning
    allergy allergic intolerant
    allow permit let enable
    amount sum quantity
    angry upset annoyed mad furious
    animal pet dog cat
    answer reply response respond
    apartment flat home house
    arrive arrival land come
    art artwork painting drawing paint painted draw drew sketch
    ask request enquire
    assist help support aid
    attend join participate visit
    attempt try tried
    aunt uncle relative family
    author writer wrote written
    autumn fall
    award prize medal trophy won
    baby newborn infant child
    bake baked baking cook cooked cooking
    ban forbid forbidden prohibit prohibited
    beach sea coast ocean shore seaside
    beautiful gorgeous stunning pretty lovely
    begin began begun start started launch
    believe faith religion religious church
    bike bicycle cycling cycle
    bill invoice charge cost
    birthday anniversary celebration celebrate celebrated party
    boat ship vessel ferry
    book novel read reading
    boss manager supervisor lead
    boyfriend girlfriend partner husband wife spouse
    branch fork
    break broke broken damage damaged fracture
    bring brought carry
    broken fail failed failure faulty fault
    brother sister sibling
    bug defect error fault issue problem
    build built construct make made create created
    bus coach
    business company firm enterprise shop store startup
    busy occupied
    buy bought purchase purchased acquire acquired
    calm relax relaxed relaxing peaceful soothing unwind destress
    camp camping tent campsite
    cancel cancelled abandon abandoned drop dropped
    car vehicle auto truck van drive
    career job profession occupation work employment
    change changed modify modified alter switch switched move moved
    charity volunteer volunteering fundraiser donation donate nonprofit
    cheap inexpensive affordable
    check verify verified inspect test tested
    child children kid son daughter
    choose chose chosen pick picked select selected decide decided
    city town village place
    class course lesson workshop training
    clean tidy cleanup
    client customer buyer
    close shut closed
    clothes clothing outfit wear wore dress
    cloud aws hosting
    code source program programmed programming
    cold freezing chilly
    collapse crash crashed
    colleague coworker teammate
    college university school campus
    comfort reassure console
    commence start begin
    communicate communication contact reach talk
    competition contest tournament race match
    complain complaint complained
    complete completed finish finished done
    computer laptop notebook machine pc
    concert gig show performance festival
    config configuration setting option parameter
    confidential secret private
    connect connection link linked
    consume consumption usage
    copy duplicate replicate replica
    cost price expense fee expensive
    counsellor counselor counseling therapist therapy psychologist
    country nation abroad homeland
    courage brave bravery strength strong
    crash outage downtime down incident
    cuisine food meal dish recipe dinner lunch
    customer client buyer user
    dad father papa parent
    dance dancing dancer ballet
    danger dangerous risk risky
    dashboard chart graph
    database db postgres postgresql mysql
    date day
    dead died death passed killed
    deadline due
    decline refuse refused reject rejected deny denied
    decrease reduce reduced lower lowered smaller less
    delay late delayed slow
    delete deleted remove removed erase erased drop
    dependency library package module
    deploy deployed deployment release released rollout ship shipped
    destroy destroyed ruin ruined
    develop developer engineer programmer
    diet food eat eating vegetarian vegan
    difficult hard tough challenging challenge struggle hardship obstacle
    dinner supper meal lunch
    dish meal recipe
    disk storage volume
    dislike hate hated hates
    divide split
    divorce divorced separated breakup
    doctor physician gp clinic hospital
    document doc documentation paper report
    dog puppy hound
    dream wish hope aspiration
    drink beverage coffee tea
    dwell live lives reside residence
    earn salary income wage pay
    eat ate eaten food meal
    educate education study studies studied studying degree
    elder old older elderly
    electricity power energy
    email mail message
    employ employed employee hire hired staff
    encourage encouraged inspire inspired motivate motivated motivation
    end ended finish stop stopped
    endpoint route url api
    enjoy enjoyed love loved like hobby
    entire whole all
    environment env stage
    error exception fault failure
    estimate guess prediction forecast
    evening night
    event happening occasion
    exam examination test
    exercise workout gym fitness training run running jog jogging
    expand grow growth increase increased
    explain explanation describe
    explore discover
    failover standby replica
    fall fell drop dropped
    family relatives parents kids
    famous popular
    fast quick quickly rapid speed faster
    favorite favourite prefer preferred preference beloved
    feedback review comment opinion
    film movie cinema
    fire fired dismissed sacked
    fix fixed repair repaired resolve resolved solve solved solution correct
    flower plant garden gardening bloom
    folder directory
    forest wood woods nature
    forget forgot forgotten
    found establish established
    free gratis
    friend buddy mate pal friendship
    front frontend ui interface website
    full whole complete
    fun enjoyable joy
    function method procedure
    furniture sofa couch chair
    game gaming play played
    garden yard gardening
    gather meet met meeting meetup
    get receive received obtain
    gift present gave
    glad happy pleased delighted joyful
    glass window pane
    grandma grandmother granny nan
    grandpa grandfather
    grateful thankful appreciate appreciated gratitude
    grief mourning loss lost
    group team community club
    guitar piano violin instrument music
    habit routine
    hair haircut
    handle manage cope
    harm hurt injure injured injury
    health healthy medical wellness
    hike hiking hiked trek walk trail
    history past background
    holiday vacation trip travel getaway
    homesick miss missed
    host server machine node instance
    huge big large enormous
    husband wife spouse married marriage
    idea suggestion proposal
    identity gender transgender self
    ill sick illness disease unwell
    image picture photo photograph photography
    importer import
    improve improved improvement better optimise optimize
    incident outage failure
    increase rise rose raise raised grow grew higher
    influence affect affected impact effect
    instruct teach taught teacher instructor
    interest interested hobby passion
    job task work role position
    join joined member
    journey trip travel travelled tour
    joy happiness happy
    key credential secret token password
    keep kept retain store stored hold
    kind sort type
    kitten cat
    lack missing without
    large big
    last final
    law legal lawyer
    learn learned learnt study
    leave left quit resign resigned depart
    length long duration
    letter mail
    library package dependency
    life living
    limit limited cap quota maximum
    log logs logging
    login signin sign authenticate authentication
    look search seek
    lose lost
    love adore
    luggage suitcase bag
    machine server
    main primary master
    maintain maintenance care
    marry married wedding engaged fiance
    meal food
    mean meaning symbolize symbolise represent signify
    medicine medication drug pill treatment
    memory ram
    merge merged combine
    midday noon
    migrate migrated migration move moved
    mistake error wrong
    mobile phone smartphone
    mom mum mother mama parent
    money cash finance financial budget
    monitor monitoring observe watch
    mountain hill peak climb climbing
    move moved relocate relocated relocation
    musician band singer song sing music
    name called title
    nearby near close
    neighbour neighbor
    new recent latest
    nightly night overnight
    notify notification inform
    nurse nursing
    objective goal
    offer quote proposal
    office workplace
    often frequency regularly
    open public
    operate operation run
    order ordered
    origin original root cause reason
    outage downtime
    outdoors outside nature
    own owner possess
    owner responsible maintain maintainer
    pain ache
    parcel package shipment delivery
    password passphrase credential
    patch fix update
    pay paid payment
    people person folk
    performance latency speed
    permission access right
    picture photo image
    pipeline ci build
    plan planned intend intended
    play theatre theater drama
    policy rule
    pottery ceramics clay
    pregnant pregnancy expecting
    presentation talk speech lecture
    price rate tariff
    problem trouble issue difficulty
    prod production live
    project initiative
    promote promoted promotion
    prompt ask
    protect secure security
    proud pride accomplishment
    psychology mental counseling
    purpose reason
    question query
    queue backlog
    quiet silent
    rail railway train
    rain rainy storm weather
    reason why cause because
    recall remember
    recommend recommended recommendation suggest suggested advice advise
    recover recovered recovery restore restored
    refactor rewrite cleanup
    region area zone
    regret sorry
    relation relationship dating date single
    relax rest
    rename renamed
    rent lease landlord
    repeat again
    replace replaced swap swapped substitute
    repo repository
    report reported
    research researched study investigate investigation
    restart reboot restarted
    restaurant cafe diner
    result outcome
    return returned
    rival competitor
    road street route
    rollback revert reverted
    room bedroom
    sad unhappy depressed
    sale sell sold
    salary pay wage
    save saved
    schedule calendar appointment timetable
    school kindergarten pupil
    science scientific scientist
    score result
    seat place
    secure safe security
    see saw seen watch
    send sent
    service app application
    settle settled
    share shared
    shop store market
    show display
    shoe sneaker boot trainer
    sight view
    size big
    skill ability talent
    sleep slept insomnia
    slow slowly latency sluggish
    small little tiny
    snow ski skiing
    snack candy sweet chocolate treat
    soccer football
    speak spoke talk
    spend spent
    sport basketball football tennis swimming
    spring summer
    staging test preprod
    stop halt
    story tale
    stress stressed stressful pressure
    student pupil
    successful success succeed
    suffer suffered
    sum total
    summary overview
    sunset sunrise dusk dawn
    support helped
    sure certain
    surgery operation operated
    surprise surprised
    swim swimming swam pool
    symbol meaning
    team crew
    television tv series show
    temporary interim
    terminate kill killed
    test tests testing
    thought opinion think view
    thread conversation chat
    ticket issue
    timeout hang hung stuck
    tired exhausted fatigue
    tool utility
    town city
    toy doll
    trainer coach
    translate translation translated
    trash rubbish garbage
    tree forest
    trust confidence
    try attempt
    ui interface
    uncle aunt
    understand understood
    upgrade upgraded update updated
    upset sad
    use used utilise
    vet veterinarian
    version release
    visit visited
    wake woke
    walk walked stroll
    war army military veteran
    watch watched
    water hydrate
    weak weakness
    weather rain
    website site web page
    win won victory
    word term
    worth value
    yoga meditation meditate mindfulness
    young youth teen teenager
"""


def synonyms_of(stemmed: str) -> tuple[str, ...]:
    """The stems that say nearly the same as a stem, itself not among them."""
    return _by_stem().get(stemmed, ())


@cache
def _by_stem() -> Mapping[str, tuple[str, ...]]:
    others: dict[str, dict[str, None]] = {}
    for group in _GROUPS.strip().splitlines():
        stems = list(dict.fromkeys(map(stem, group.split())))
        for each in stems:
            others.setdefault(each, {}).update(dict.fromkeys(stems))
    return {
        each: tuple(other for other in found if other != each) for each, found in others.items()
    }
